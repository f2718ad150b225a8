import { Anchor, Menu, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Parts } from '../../../common/parts';
import { When } from '../../../common/when';
import { ItemMenu } from '../../../list/item-menu';
import { connectionsText } from '../../../text/connections-text';
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

export interface TableItemProps {
  readonly table: ConnectionTable;
  /** What was read of the table before, oldest first. */
  readonly reads: readonly TableRead[];
  /** Name of the datagrid. */
  readonly datagrid: string | undefined;
  readonly onAction: (action: TableAction) => void;
}

/** One table with its status, progress, lag and last error. */
export function TableItem({ table, reads, datagrid, onAction }: TableItemProps): ReactNode {
  const { datagridId, name, status, columns, lagSeconds, lastError, lastErrorAt } = table;
  const progress = progressOf(table, reads);
  const act = (action: TableAction) => () => {
    onAction(action);
  };
  return (
    <div className="table-item">
      <div className="table-item-text">
        <div className="ruled-line">
          <StatusBadge {...tableStatusOf(table)} />
          <Text fw={600} className="ruled-name">
            {name}
          </Text>
          <Text span size="sm" c="dimmed">
            {lagText(lagSeconds)}
          </Text>
        </div>
        <Text size="sm" c="dimmed" className="ruled-name">
          <Parts
            of={t.copyOf(
              <Anchor component={Link} to={`/datagrids/${datagridId}`} underline="always">
                {datagrid ?? t.someDatagrid}
              </Anchor>,
              columns === null ? null : columns.length,
            )}
          />
          <CheckResult table={table} />
        </Text>
        {progress && (
          <>
            <Progress value={progress.percent} aria-label={t.load(name)} mt={4} />
            <Text size="sm">{progressText(progress)}</Text>
          </>
        )}
        {requestOf(table) && <Text size="sm">{requestOf(table)}</Text>}
        {status === 'failing' && (
          <Text size="sm" className="table-error">
            {lastError} {lastErrorAt && <When iso={lastErrorAt} />}
          </Text>
        )}
      </div>
      <LagPlot points={lagPoints(reads)} name={name} />
      <ItemMenu label={t.actionsFor(name)}>
        <Menu.Item onClick={act('edit')}>{t.edit}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={act('check')}>{t.check}</Menu.Item>
        <Menu.Item onClick={act('repair')}>{t.repair}</Menu.Item>
        <Menu.Item onClick={act('reset')}>{t.reset}</Menu.Item>
      </ItemMenu>
    </div>
  );
}

function CheckResult({ table }: { readonly table: ConnectionTable }): ReactNode {
  const result = checkOf(table);
  if (table.checkedAt === null || result === null) return null;
  return <Parts of={t.checked(<When iso={table.checkedAt} />, result)} />;
}
