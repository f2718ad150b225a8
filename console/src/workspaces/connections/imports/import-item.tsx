import { Anchor, Button, Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Parts } from '../../../common/parts';
import { When } from '../../../common/when';
import { ItemMenu } from '../../../list/item-menu';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { StatusBadge } from '../../status-badge';
import {
  importStatusOf,
  rejectionOf,
  resultOf,
  scheduleOf,
  type ScheduledImport,
} from './scheduled-import';

const t = connectionsText.imports;

/** What a user can do with a scheduled import. */
export type ImportAction = 'run' | 'edit' | 'pause' | 'resume' | 'delete';

export interface ImportItemProps {
  readonly scheduled: ScheduledImport;
  /** Name of the datagrid. */
  readonly datagrid: string | undefined;
  readonly isRequested: boolean;
  readonly onAction: (action: ImportAction) => void;
}

/** One scheduled import with its status, schedule, last run and error. */
export function ImportItem(props: ImportItemProps): ReactNode {
  const { scheduled, datagrid, isRequested, onAction } = props;
  const { name, datagridId, status, enabled, lastRun, lastError, lastErrorAt } = scheduled;
  const act = (action: ImportAction) => () => {
    onAction(action);
  };
  return (
    <div className="table-item">
      <div className="table-item-text">
        <div className="ruled-line">
          <StatusBadge {...importStatusOf(scheduled)} />
          <Text fw={600} className="ruled-name">
            {name}
          </Text>
          <Text span size="sm" c="dimmed">
            {scheduleOf(scheduled)}
          </Text>
        </div>
        <Text size="sm" c="dimmed" className="ruled-name">
          <Parts
            of={t.into(
              <Anchor component={Link} to={`/datagrids/${datagridId}`} underline="always">
                {datagrid ?? t.someDatagrid}
              </Anchor>,
              scheduled.keyColumns.join(', '),
              scheduled.missingRows === 'delete',
            )}
          />
        </Text>
        {lastRun?.error === null && (
          <Text size="sm" className="ruled-name">
            <Parts of={t.lastRun(<When iso={lastRun.startedAt} />, resultOf(lastRun))} />
          </Text>
        )}
        {lastRun && rejectionOf(lastRun) && (
          <Text size="sm" className="table-error">
            {rejectionOf(lastRun)}
          </Text>
        )}
        {lastRun?.note != null && <Text size="sm">{lastRun.note}</Text>}
        {status === 'failing' && (
          <Text size="sm" className="table-error">
            {lastError} {lastErrorAt && <When iso={lastErrorAt} />}
          </Text>
        )}
      </div>
      <Button
        variant="default"
        size="xs"
        aria-label={t.runOneNow(name)}
        disabled={status === 'paused'}
        loading={isRequested}
        onClick={act('run')}
      >
        {t.runNow}
      </Button>
      <ItemMenu label={t.actionsFor(name)}>
        <Menu.Item onClick={act('edit')}>{text.actions.edit}</Menu.Item>
        <Menu.Item onClick={act(enabled ? 'pause' : 'resume')}>
          {enabled ? text.actions.pause : text.actions.resume}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={act('delete')}>{text.actions.delete}</Menu.Item>
      </ItemMenu>
    </div>
  );
}
