import { Anchor, Button, Group, Menu, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { TableColumn } from '../../../common/data-table';
import { Parts } from '../../../common/parts';
import { When } from '../../../common/when';
import { DANGER, ItemMenu } from '../../../list/item-menu';
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

/** What is known of the scheduled imports, beside the imports themselves. */
export interface ImportContext {
  /** Names of datagrids by id. */
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly isRequested: (scheduled: ScheduledImport) => boolean;
  readonly onAction: (action: ImportAction, scheduled: ScheduledImport) => void;
}

/** Columns of the scheduled imports: status, schedule, datagrid, and the actions. */
export function columnsOf(context: ImportContext): readonly TableColumn<ScheduledImport>[] {
  const { columns } = t;
  return [
    {
      title: columns.name,
      cell: ({ name }) => (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ),
    },
    { title: columns.status, cell: (scheduled) => <StatusBadge {...importStatusOf(scheduled)} /> },
    { title: columns.schedule, line: 'plain', cell: scheduleOf },
    {
      title: columns.datagrid,
      line: 'plain',
      cell: ({ datagridId, keyColumns, missingRows }) => (
        <Parts
          of={t.into(
            <Anchor component={Link} to={`/datagrids/${datagridId}`} inherit underline="always">
              {context.names?.get(datagridId) ?? t.someDatagrid}
            </Anchor>,
            keyColumns.join(', '),
            missingRows === 'delete',
          )}
        />
      ),
    },
    {
      title: text.lists.actions,
      isActions: true,
      cell: (scheduled) => <ImportActions scheduled={scheduled} {...context} />,
    },
  ];
}

interface ImportActionsProps extends Pick<ImportContext, 'isRequested' | 'onAction'> {
  readonly scheduled: ScheduledImport;
}

function ImportActions({ scheduled, isRequested, onAction }: ImportActionsProps): ReactNode {
  const { name, status, enabled } = scheduled;
  const act = (action: ImportAction) => () => {
    onAction(action, scheduled);
  };
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={t.runOneNow(name)}
        disabled={status === 'paused'}
        loading={isRequested(scheduled)}
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
        <Menu.Item c={DANGER} onClick={act('delete')}>
          {text.actions.delete}
        </Menu.Item>
      </ItemMenu>
    </Group>
  );
}

/** Returns the result and the error of the last run, or null if there is none. */
export function noteOf({ status, lastRun, lastError, lastErrorAt }: ScheduledImport): ReactNode {
  if (!lastRun && status !== 'failing') return null;
  const rejection = lastRun && rejectionOf(lastRun);
  return (
    <Stack gap={2}>
      {lastRun?.error === null && (
        <span>
          <Parts of={t.lastRun(<When iso={lastRun.startedAt} />, resultOf(lastRun))} />
        </span>
      )}
      {rejection && <span className="table-error">{rejection}</span>}
      {lastRun?.note != null && <span>{lastRun.note}</span>}
      {status === 'failing' && (
        <span className="table-error">
          {lastError} {lastErrorAt && <When iso={lastErrorAt} />}
        </span>
      )}
    </Stack>
  );
}
