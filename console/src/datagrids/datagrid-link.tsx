import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { datagridQuery } from './datagrid-calls';

/** Parameter of the address of a datagrid: the id of the row to open. */
export const ROW_PARAMETER = 'row';

/** Returns the address of a datagrid, or of one of its rows. */
export const datagridAddress = (id: string, rowId?: string): string =>
  rowId === undefined ? `/datagrids/${id}` : `/datagrids/${id}?${ROW_PARAMETER}=${rowId}`;

export interface DatagridLinkProps {
  readonly id: string;
  /** Row of the datagrid to show. */
  readonly rowId?: string;
  /** Text for the name of the datagrid. The default is the name alone. */
  readonly textOf?: (name: string) => string;
}

/** A link to a datagrid, with its name. Shows the id until the name is loaded, or if it cannot be. */
export function DatagridLink({ id, rowId, textOf }: DatagridLinkProps): ReactNode {
  const { data } = useQuery(datagridQuery(id));
  const name = data?.name ?? id;
  return <Link to={datagridAddress(id, rowId)}>{textOf ? textOf(name) : name}</Link>;
}
