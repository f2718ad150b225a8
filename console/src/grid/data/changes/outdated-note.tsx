import { Button } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import type { Datagrid } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
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
        <div className="grid-bar">
          <span>{message}</span>
          <Button size="compact-sm" variant="light" onClick={onRefresh}>
            {gridText.outdated.refresh}
          </Button>
        </div>
      )}
    </div>
  );
}
