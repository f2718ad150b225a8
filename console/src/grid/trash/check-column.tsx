import { Checkbox } from '@mantine/core';
import type { TableColumn } from '../../common/data-table';
import { text } from '../../text/text';
import type { DeletedRow } from './trash-calls';

/** Returns a column of checkboxes, with one for all rows in its header. */
export function checkColumn(
  rows: readonly DeletedRow[],
  checked: ReadonlySet<number>,
  onCheck: (ids: ReadonlySet<number>) => void,
): TableColumn<DeletedRow> {
  const isAll = rows.every(({ id }) => checked.has(id));
  return {
    title: text.rowTrash.checkAll,
    isActions: true,
    head: (
      <Checkbox
        aria-label={text.rowTrash.checkAll}
        checked={isAll}
        indeterminate={!isAll && checked.size > 0}
        onChange={() => {
          onCheck(new Set(isAll ? [] : rows.map(({ id }) => id)));
        }}
      />
    ),
    cell: ({ id }) => (
      <Checkbox
        aria-label={text.rowTrash.check(id)}
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
