import type { Column } from './datagrid';

type Keys = Pick<Column, 'key' | 'previousKeys'>;

/** Returns the column that has a key, or had it before. */
export function findColumn<T extends Keys>(columns: readonly T[], key: string): T | undefined {
  return (
    columns.find((column) => column.key === key) ??
    columns.find(({ previousKeys = [] }) => previousKeys.some((previous) => previous.key === key))
  );
}

/** Returns the key that a column has by now. A key that no column has or had stays as it is. */
export function currentKey(columns: readonly Keys[], key: string): string {
  return findColumn(columns, key)?.key ?? key;
}
