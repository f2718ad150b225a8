import { ActionIcon, Table } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
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
  /**
   * Content below a row that its user opens. Makes each row one line, whose texts are cut off until
   * then.
   */
  readonly detailsOf?: (item: T) => ReactNode;
  /** Content that is always shown below a row, such as an error. Null if there is none. */
  readonly noteOf?: (item: T) => ReactNode;
}

/**
 * A list as a table. The first column names the item. On a phone, each row is a card. The roles keep
 * it a table there for screen readers.
 */
export function DataTable<T>(props: DataTableProps<T>): ReactNode {
  const { label, columns, items, idOf, detailsOf, noteOf } = props;
  return (
    <div className="data-table-frame">
      <Table
        className={detailsOf ? 'data-table is-lines' : 'data-table'}
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
            {detailsOf && (
              <Table.Th role="columnheader" className="is-opener" w="2.25rem">
                <span className="visually-hidden">{text.lists.details}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {items.map((item, index) => (
            <Row
              key={idOf(item)}
              item={item}
              number={index + 1}
              columns={columns}
              detailsOf={detailsOf}
              note={noteOf?.(item)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface RowProps<T> {
  readonly item: T;
  /** From 1. */
  readonly number: number;
  readonly columns: readonly TableColumn<T>[];
  readonly detailsOf: ((item: T) => ReactNode) | undefined;
  readonly note: ReactNode;
}

/** An item, its note, and its details while they are open. */
function Row<T>({ item, number, columns, detailsOf, note }: RowProps<T>): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const width = columns.length + (detailsOf ? 1 : 0);
  return (
    <>
      <Table.Tr role="row" data-open={isOpen || undefined} data-noted={note ? true : undefined}>
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
        {detailsOf && (
          <Table.Td role="cell" className="is-opener">
            <ActionIcon
              variant="subtle"
              color="gray"
              c="inherit"
              size="sm"
              aria-label={text.lists.detailsOf(number)}
              title={text.lists.details}
              aria-expanded={isOpen}
              aria-controls={isOpen ? detailsId : undefined}
              onClick={() => {
                setIsOpen(!isOpen);
              }}
            >
              <ChevronIcon />
            </ActionIcon>
          </Table.Td>
        )}
      </Table.Tr>
      {note && <Below width={width}>{note}</Below>}
      {isOpen && detailsOf && (
        <Below width={width} id={detailsId}>
          {detailsOf(item)}
        </Below>
      )}
    </>
  );
}

interface BelowProps {
  /** Number of columns of the table. */
  readonly width: number;
  readonly id?: string;
  readonly children: ReactNode;
}

/** Content below a row, over the whole width. */
function Below({ width, id, children }: BelowProps): ReactNode {
  return (
    <Table.Tr role="row" className="is-below" id={id}>
      <Table.Td role="cell" colSpan={width}>
        {children}
      </Table.Td>
    </Table.Tr>
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
