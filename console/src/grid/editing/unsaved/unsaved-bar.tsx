import { Button } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { connection } from '../../../shell/connection';
import { gridText } from '../../../text/grid-text';
import { ConflictDialog } from './conflict-dialog';
import type { EditStore } from './edit-store';
import type { RowEdit } from './row-edit';
import { UnsavedDialog } from './unsaved-dialog';

const t = gridText.unsaved;

export interface UnsavedBarProps {
  readonly edits: EditStore;
  readonly columns: readonly Column[];
}

/** Lists unsaved edits with the reasons, and opens the dialog for conflicts. */
export function UnsavedBar({ edits, columns }: UnsavedBarProps): ReactNode {
  const rows = useSyncExternalStore(edits.subscribe, edits.all);
  const isConnectionFailure = useSyncExternalStore(connection.subscribe, connection.getIsFailing);
  useEffect(() => {
    if (!isConnectionFailure) edits.retry();
  }, [isConnectionFailure, edits]);
  const [isOpen, setOpen] = useState(false);
  const [later, setLater] = useState<readonly RowEdit['theirs'][]>([]);
  const asked = rows.find(({ theirs }) => theirs !== undefined && !later.includes(theirs));
  const cells = rows.flatMap((row) => [...row.cells.values()]);
  const stuck = cells.filter(({ state }) => state !== 'saving' && state !== 'waiting');
  const unsaved = stuck.filter(({ state }) => state === 'unsaved');
  const count = t.count(stuck.length);
  return (
    <>
      <div role="status">
        {stuck.length > 0 && (
          <div className="grid-bar" data-warning>
            <span>{unsaved[0] ? t.countWhy(count, unsaved[0].message) : count}</span>
            {unsaved.length > 0 && (
              <Button
                size="compact-sm"
                onClick={() => {
                  edits.retry();
                }}
              >
                {t.retry}
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setOpen(true);
              }}
            >
              {t.show(stuck.length)}
            </Button>
          </div>
        )}
      </div>
      {isOpen && (
        <UnsavedDialog
          edits={edits}
          rows={rows}
          columns={columns}
          onResolve={() => {
            setLater([]);
            setOpen(false);
          }}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
      {asked && !isOpen && (
        <ConflictDialog
          row={asked}
          columns={columns}
          onKeepMine={() => {
            edits.keepMine(asked.base.id);
          }}
          onKeepTheirs={() => {
            edits.discard(asked.base.id);
          }}
          onClose={() => {
            setLater([...later, asked.theirs]);
          }}
        />
      )}
    </>
  );
}
