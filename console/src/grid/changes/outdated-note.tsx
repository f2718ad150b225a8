import { Alert, Button, Group, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import type { Datagrid } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import type { LiveRows } from './live-rows';
import { outdatedMessage } from './outdated';

export interface OutdatedNoteProps {
  readonly live: LiveRows;
  /** The datagrid on the screen. */
  readonly datagrid: Datagrid;
  readonly onRefresh: () => void;
}

/** Says that rows were added, deleted or moved since they were loaded. */
export function OutdatedNote({ live, datagrid, onRefresh }: OutdatedNoteProps): ReactNode {
  const outdated = useSyncExternalStore(live.subscribe, live.outdatedRows);
  const message = outdatedMessage(outdated, datagrid);
  return (
    <div role="status">
      {message && (
        <Alert color="indigo" mb="xs" py="xs">
          <Group justify="space-between">
            <Text size="sm">{message}</Text>
            <Button size="xs" variant="default" onClick={onRefresh}>
              {gridText.outdated.refresh}
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  );
}
