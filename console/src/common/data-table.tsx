import { ActionIcon, Table } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { text } from '../text/text';
import { ChevronIcon } from './icon';
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
  /**
   * Share of the width in a table of lines, such as `40%`, which cuts off longer texts. Columns
   * without one are as wide as their texts.
   */
  readonly width?: string;
  /** Whole text of a cell in a table of lines, which may cut it off. */
  readonly textOf?: (item: T) => string;
  /** How a phone shows the cell: in a line of its own, also with its title. */
  readonly line?: 'plain' | 'titled';
}

export interface DataTableProps<T> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
  /** True if each row is one line. Texts that are too long are cut off until the row is opened. */
  readonly isLines?: boolean;
}

/**
 * A list as a table. The first column names the item. On a phone, each row is a card. The roles keep
 * it a table there for screen readers.
 */
export function DataTable<T>(props: DataTableProps<T>): ReactNode {
  const { label, columns, items, idOf, isLines = false } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  return (
    <div className="data-table-frame">
      <Table
        className={isLines ? 'data-table is-lines' : 'data-table'}
        role="table"
        aria-label={label}
        highlightOnHover
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column, at) => (
              <Table.Th key={at} role="columnheader" className={classOf(column)} w={column.width}>
                {column.head ??
                  (column.isActions ? (
                    <span className="visually-hidden">{column.title}</span>
                  ) : (
                    column.title
                  ))}
              </Table.Th>
            ))}
            {isLines && (
              <Table.Th role="columnheader" className="is-opener" w="2.25rem">
                <span className="visually-hidden">{text.lists.wholeRows}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {items.map((item, index) => (
            <Table.Tr key={idOf(item)} role="row" data-open={open.has(idOf(item)) || undefined}>
              {columns.map((column, at) => (
                <Table.Td
                  key={at}
                  role="cell"
                  className={classOf(column)}
                  data-title={column.title}
                  title={column.textOf?.(item)}
                >
                  {column.cell(item)}
                </Table.Td>
              ))}
              {isLines && (
                <Table.Td role="cell" className="is-opener">
                  <Opener
                    row={index + 1}
                    isOpen={open.has(idOf(item))}
                    onToggle={() => {
                      const next = new Set(open);
                      if (!next.delete(idOf(item))) next.add(idOf(item));
                      setOpen(next);
                    }}
                  />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface OpenerProps {
  /** From 1. */
  readonly row: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Button that shows the whole texts of a row. */
function Opener({ row, isOpen, onToggle }: OpenerProps): ReactNode {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      size="sm"
      aria-label={text.lists.wholeRow(row)}
      title={text.lists.wholeRows}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <ChevronIcon />
    </ActionIcon>
  );
}

function classOf<T>(column: TableColumn<T>): string {
  const { isWide, isActions, isNumber, isTime, width, line, head } = column;
  return [
    isWide && 'is-wide',
    isActions && 'is-actions',
    isNumber && 'is-number',
    isTime && 'is-time',
    width !== undefined && 'is-shared',
    line && 'is-line',
    line === 'titled' && 'is-titled',
    head !== undefined && 'has-head',
  ]
    .filter(Boolean)
    .join(' ');
}
