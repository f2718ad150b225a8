import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../../common/data-table';
import { When } from '../../common/when';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { useLinkTitles } from '../cells/links/link-context';
import { titledValue } from '../cells/links/links-as-text';
import { exactTitle } from '../cells/values/shown-value';
import type { DeletedRow } from './trash-calls';

/** Number of columns of the datagrid in the list. */
const MAX_SHOWN_COLUMNS = 3;

export interface DeletedRowTableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly DeletedRow[];
  /** Returns the display name of the one who deleted the row. */
  readonly authorOf: (row: DeletedRow) => string;
  /** Ids of the checked rows. Undefined without checkboxes. */
  readonly checked: ReadonlySet<number> | undefined;
  readonly onCheck: (ids: ReadonlySet<number>) => void;
}

/** Table of deleted rows with the values of the first columns. */
export function DeletedRowTable(props: DeletedRowTableProps): ReactNode {
  const { columns, rows, authorOf, checked, onCheck } = props;
  const titles = useLinkTitles();
  const shown: readonly TableColumn<DeletedRow>[] = [
    ...(checked ? [checkColumn(rows, checked, onCheck)] : []),
    { title: gridText.columns.id, isNumber: true, cell: ({ id }) => id },
    ...columns.slice(0, MAX_SHOWN_COLUMNS).map((column) => ({
      title: column.title,
      line: 'titled' as const,
      cell: ({ values }: DeletedRow) => {
        const value = values[column.key];
        return <span title={exactTitle(column, value)}>{titledValue(column, value, titles)}</span>;
      },
    })),
    {
      title: gridText.rowTrash.deleted,
      isTime: true,
      cell: ({ deletedAt }) => <When iso={deletedAt} />,
    },
    { title: gridText.rowTrash.by, isWide: true, cell: authorOf },
    {
      title: gridText.rowTrash.expires,
      isWide: true,
      cell: ({ expiresAt }) => <When iso={expiresAt} />,
    },
  ];
  return (
    <DataTable
      label={gridText.rowTrash.title}
      columns={shown}
      items={rows}
      idOf={({ id }) => String(id)}
    />
  );
}

/** Returns a column of checkboxes, with one for all rows in its header. */
function checkColumn(
  rows: readonly DeletedRow[],
  checked: ReadonlySet<number>,
  onCheck: (ids: ReadonlySet<number>) => void,
): TableColumn<DeletedRow> {
  const isAll = rows.every(({ id }) => checked.has(id));
  return {
    title: gridText.rowTrash.checkAll,
    isActions: true,
    head: (
      <Checkbox
        aria-label={gridText.rowTrash.checkAll}
        checked={isAll}
        indeterminate={!isAll && checked.size > 0}
        onChange={() => {
          onCheck(new Set(isAll ? [] : rows.map(({ id }) => id)));
        }}
      />
    ),
    cell: ({ id }) => (
      <Checkbox
        aria-label={gridText.rowTrash.check(id)}
        checked={checked.has(id)}
        onChange={() => {
          const ids = new Set(checked);
          if (!ids.delete(id)) ids.add(id);
          onCheck(ids);
        }}
      />
    ),
  };
}
