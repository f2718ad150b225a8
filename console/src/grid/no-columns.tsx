import { Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OpenDialog } from './grid-dialogs';

export interface NoColumnsProps {
  readonly mayChange: boolean;
  readonly mayWrite: boolean;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** Shows the first steps for a datagrid without columns. */
export function NoColumns({ mayChange, mayWrite, onOpen }: NoColumnsProps): ReactNode {
  return (
    <Paper withBorder p="md" mb="sm">
      <Text>This datagrid has no columns yet.</Text>
      {mayChange && (
        <Group mt="sm" gap="xs">
          <Button
            onClick={() => {
              onOpen({ kind: 'columns' });
            }}
          >
            Add columns
          </Button>
          {mayWrite && (
            <Button
              variant="default"
              onClick={() => {
                onOpen({ kind: 'import' });
              }}
            >
              Import a file
            </Button>
          )}
        </Group>
      )}
    </Paper>
  );
}
