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
  /** True for times, which stay in one line. */
  readonly isTime?: boolean;
  /** How a phone shows the cell: in a line of its own, also with its title. */
  readonly line?: 'plain' | 'titled';
}

export interface DataTableProps<T> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
}

/**
 * A list as a table. The first column names the item. On a phone, each row is a card. The roles keep
 * it a table there for screen readers.
 */
export function DataTable<T>({ label, columns, items, idOf }: DataTableProps<T>): ReactNode {
  return (
    <div className="data-table-frame">
      <Table className="data-table" role="table" aria-label={label} highlightOnHover>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column, at) => (
              <Table.Th key={at} role="columnheader" className={classOf(column)}>
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
        <Table.Tbody role="rowgroup">
          {items.map((item) => (
            <Table.Tr key={idOf(item)} role="row">
              {columns.map((column, at) => (
                <Table.Td
                  key={at}
                  role="cell"
                  className={classOf(column)}
                  data-title={column.title}
                >
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

function classOf<T>(column: TableColumn<T>): string {
  const { isWide, isActions, isNumber, isTime, line, head } = column;
  return [
    isWide && 'is-wide',
    isActions && 'is-actions',
    isNumber && 'is-number',
    isTime && 'is-time',
    line && 'is-line',
    line === 'titled' && 'is-titled',
    head !== undefined && 'has-head',
  ]
    .filter(Boolean)
    .join(' ');
}
