import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import './data-table.css';

/** A column of a table. */
export interface TableColumn<T> {
  readonly title: string;
  /** Header in place of the title, such as a checkbox. */
  readonly head?: ReactNode;
  readonly cell: (item: T) => ReactNode;
  /** True for columns that a small screen leaves out. */
  readonly isWide?: boolean;
  /** True for buttons, which are at the end of a row. */
  readonly isActions?: boolean;
  /** True for numbers, which are at the end of a cell. */
  readonly isNumber?: boolean;
}

export interface DataTableProps<T> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
}

/** A list as a table. The first column names the item. */
export function DataTable<T>({ label, columns, items, idOf }: DataTableProps<T>): ReactNode {
  return (
    <div className="data-table-frame">
      <Table className="data-table" aria-label={label} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, at) => (
              <Table.Th key={at} className={classOf(column)}>
                {column.head ??
                  (column.isActions ? (
                    <span className="visually-hidden">{column.title}</span>
                  ) : (
                    column.title
                  ))}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={idOf(item)}>
              {columns.map((column, at) => (
                <Table.Td key={at} className={classOf(column)}>
                  {column.cell(item)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function classOf<T>({ isWide, isActions, isNumber }: TableColumn<T>): string {
  return [isWide && 'is-wide', isActions && 'is-actions', isNumber && 'is-number']
    .filter(Boolean)
    .join(' ');
}
