import { Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { gridText } from '../text/grid-text';
import type { OpenDialog } from './grid-dialogs';

const t = gridText.noColumns;

export interface NoColumnsProps {
  /** Opens the form for new columns; `undefined` if the user may not add any. */
  readonly add: (() => void) | undefined;
  readonly mayWrite: boolean;
  readonly open: (dialog: OpenDialog) => void;
}

/** Shows the first steps for a datagrid without columns. The first one has the focus. */
export function NoColumns({ add, mayWrite, open }: NoColumnsProps): ReactNode {
  return (
    <Paper withBorder p="md" mb="sm">
      <Text>{t.hint}</Text>
      {add && (
        <Group mt="sm" gap="xs">
          <Button autoFocus onClick={add}>
            {t.add}
          </Button>
          {mayWrite && (
            <Button
              variant="default"
              onClick={() => {
                open({ kind: 'import' });
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
