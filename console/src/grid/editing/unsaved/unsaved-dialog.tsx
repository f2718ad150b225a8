import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../common/copy-button';
import { Dialog } from '../../../common/dialog';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { CellEdit } from '../../cells/cell-edit';
import type { EditStore } from './edit-store';
import type { RowEdit } from './row-edit';

const t = gridText.unsaved;

export interface UnsavedDialogProps {
  readonly edits: EditStore;
  readonly rows: readonly RowEdit[];
  readonly columns: readonly Column[];
  /** Opens the dialog for conflicts. */
  readonly onResolve: () => void;
  readonly onClose: () => void;
}

/** Lists all unsaved edits, even of rows that are not loaded or were deleted. */
export function UnsavedDialog(props: UnsavedDialogProps): ReactNode {
  const { edits, rows, columns, onResolve, onClose } = props;
  const titleOf = (key: string): string => columns.find((one) => one.key === key)?.title ?? key;
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <Stack component="ul" className="plain-list" gap="sm">
        {rows.length === 0 && <Text component="li">{t.none}</Text>}
        {rows.flatMap(({ base, cells }) =>
          [...cells].map(([key, cell]) => (
            <Paper component="li" withBorder p="sm" key={`${base.id} ${key}`}>
              <Text size="sm" fw={600}>
                {t.cell(base.id, titleOf(key))}
              </Text>
              <Text size="sm" className="written-text">
                {cell.typed === '' ? gridText.values.none : cell.typed}
              </Text>
              <Text size="sm" c="dimmed">
                {reasonOf(cell)}
              </Text>
              <Group gap="xs" mt="xs">
                <CopyButton text={cell.typed} label={t.copy} />
                {cell.state === 'unsaved' && (
                  <Button
                    size="xs"
                    onClick={() => {
                      edits.retry(base.id);
                    }}
                  >
                    {t.retry}
                  </Button>
                )}
                {cell.state === 'conflict' && (
                  <Button size="xs" onClick={onResolve}>
                    {t.compare}
                  </Button>
                )}
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => {
                    edits.discard(base.id, key);
                  }}
                >
                  {t.discard}
                </Button>
              </Group>
            </Paper>
          )),
        )}
      </Stack>
    </Dialog>
  );
}

function reasonOf({ state, message }: CellEdit): string {
  return state === 'saving' || state === 'waiting' ? t.saving : message;
}
