import { Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { gridText } from '../text/grid-text';
import type { OpenDialog } from './grid-dialogs';

const t = gridText.noColumns;

export interface NoColumnsProps {
  readonly mayChange: boolean;
  readonly mayWrite: boolean;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** Shows the first steps for a datagrid without columns. */
export function NoColumns({ mayChange, mayWrite, onOpen }: NoColumnsProps): ReactNode {
  return (
    <Paper withBorder p="md" mb="sm">
      <Text>{t.hint}</Text>
      {mayChange && (
        <Group mt="sm" gap="xs">
          <Button
            onClick={() => {
              onOpen({ kind: 'columns' });
            }}
          >
            {t.add}
          </Button>
          {mayWrite && (
            <Button
              variant="default"
              onClick={() => {
                onOpen({ kind: 'import' });
              }}
            >
              {t.importFile}
            </Button>
          )}
        </Group>
      )}
    </Paper>
  );
}
