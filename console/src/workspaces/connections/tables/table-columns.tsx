import { Anchor, Menu, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { TableColumn } from '../../../common/data-table';
import { Parts } from '../../../common/parts';
import { When } from '../../../common/when';
import { ItemMenu } from '../../../list/item-menu';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { StatusBadge } from '../../status-badge';
import {
  checkOf,
  requestOf,
  tableStatusOf,
  type ConnectionTable,
  type TableRequest,
} from '../connection';
import { lagPoints, lagText, progressOf, progressText, type TableRead } from '../progress';
import { LagPlot } from './lag-plot';

const t = connectionsText.tables;

/** What a user can do with a table. */
export type TableAction = 'edit' | TableRequest;

/** What is known of the tables, beside the tables themselves. */
export interface TableContext {
  /** What was read of each table before, oldest first, by the id of its datagrid. */
  readonly history: ReadonlyMap<string, readonly TableRead[]>;
  /** Names of datagrids by id. */
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly onAction: (action: TableAction, table: ConnectionTable) => void;
}

/** Columns of the tables: status, datagrid, lag, and the menu. */
export function columnsOf({
  history,
  names,
  onAction,
}: TableContext): readonly TableColumn<ConnectionTable>[] {
  const { columns } = t;
  return [
    {
      title: columns.table,
      cell: ({ name }) => (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ),
    },
    { title: columns.status, cell: (table) => <StatusBadge {...tableStatusOf(table)} /> },
    {
      title: columns.datagrid,
      line: 'titled',
      cell: ({ datagridId, columns: chosen }) => (
        <>
          <Anchor component={Link} to={`/datagrids/${datagridId}`} inherit>
            {names?.get(datagridId) ?? t.someDatagrid}
          </Anchor>{' '}
          <span className="quiet">{t.columnsOf(chosen === null ? null : chosen.length)}</span>
        </>
      ),
    },
    { title: columns.lag, line: 'titled', cell: ({ lagSeconds }) => lagText(lagSeconds) },
    {
      title: columns.trend,
      isWide: true,
      cell: ({ datagridId, name }) => (
        <LagPlot points={lagPoints(history.get(datagridId) ?? [])} name={name} />
      ),
    },
    {
      title: text.lists.actions,
      isActions: true,
      cell: (table) => <TableMenu table={table} onAction={onAction} />,
    },
  ];
}

interface TableMenuProps extends Pick<TableContext, 'onAction'> {
  readonly table: ConnectionTable;
}

function TableMenu({ table, onAction }: TableMenuProps): ReactNode {
  const item = (action: TableAction, label: string): ReactNode => (
    <Menu.Item
      onClick={() => {
        onAction(action, table);
      }}
    >
      {label}
    </Menu.Item>
  );
  return (
    <ItemMenu label={t.actionsFor(table.name)}>
      {item('edit', t.edit)}
      <Menu.Divider />
      {item('check', t.check)}
      {item('repair', t.repair)}
      {item('reset', t.reset)}
    </ItemMenu>
  );
}

/**
 * Returns the progress of a load, a requested run, the last check and the last error of a table, or
 * null if there are none.
 */
export function noteOf(table: ConnectionTable, reads: readonly TableRead[]): ReactNode {
  const { name, status, lastError, lastErrorAt, checkedAt } = table;
  const progress = progressOf(table, reads);
  const request = requestOf(table);
  const result = checkOf(table);
  const isChecked = checkedAt !== null && result !== null;
  if (!progress && !request && !isChecked && status !== 'failing') return null;
  return (
    <Stack gap={2}>
      {progress && (
        <>
          <Progress value={progress.percent} aria-label={t.load(name)} />
          <span>{progressText(progress)}</span>
        </>
      )}
      {request && <span>{request}</span>}
      {isChecked && (
        <span className="quiet">
          <Parts of={t.checked(<When iso={checkedAt} />, result)} />
        </span>
      )}
      {status === 'failing' && (
        <span className="table-error">
          {lastError} {lastErrorAt && <When iso={lastErrorAt} />}
        </span>
      )}
    </Stack>
  );
}
