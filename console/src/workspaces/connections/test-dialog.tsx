import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { quoted } from '../../common/quoted';
import type { Connection } from './connection';
import { testConnection, type ConnectionRef } from './connection-calls';
import { TestResult } from './test-result';

export interface ConnectionTaskProps {
  readonly at: ConnectionRef;
  readonly connection: Connection;
  readonly onClose: () => void;
}

/** Tests the saved destination of a connection. */
export function TestDialog({ at, connection, onClose }: ConnectionTaskProps): ReactNode {
  const { workspaceId, connectionId } = at;
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => testConnection({ workspaceId, connectionId }),
  });
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <Dialog title={`Test of ${quoted(connection.name)}`} isOpen onClose={onClose}>
      <Stack>
        {isPending && <Loading />}
        {error && <Problem error={error} title="The destination was not tested" />}
        {data && <TestResult result={data} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            Test again
          </Button>
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
