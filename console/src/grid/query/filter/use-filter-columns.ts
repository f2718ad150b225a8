import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { datagridQuery } from '../../../datagrids/datagrid-calls';
import { linkColumns } from '../../../datagrids/stored-columns';
import { withLinkedColumns } from './linked-columns';

/** Maximum number of linked datagrids whose columns a filter offers. */
const MAX_LINKED = 20;

const NONE: readonly Column[] = [];

export interface FilterColumns {
  /** The columns of a datagrid and of the datagrids that it links to. */
  readonly columns: readonly Column[];
  /** Whether all of them are loaded, or cannot be. */
  readonly isComplete: boolean;
}

/** Reads the columns that a filter can compare. */
export function useFilterColumns(own: readonly Column[] = NONE): FilterColumns {
  const ids = [...new Set(linkColumns(own).flatMap(({ options }) => options.datagridId ?? []))];
  const targets = useQueries({
    queries: ids.slice(0, MAX_LINKED).map((id) => datagridQuery(id)),
    combine: (results) => ({
      datagrids: results.flatMap(({ data }) => data ?? []),
      isComplete: results.every(({ isPending }) => !isPending),
    }),
  });
  const { datagrids, isComplete } = targets;
  const columns = useMemo(
    () => withLinkedColumns(own, new Map(datagrids.map((target) => [target.id, target.columns]))),
    [own, datagrids],
  );
  return { columns, isComplete };
}
