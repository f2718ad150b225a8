import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
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
  const t = connectionsText.test;
  const { workspaceId, connectionId } = at;
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => testConnection({ workspaceId, connectionId }),
  });
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <Dialog title={t.title(connection.name)} isOpen onClose={onClose}>
      <Stack>
        {isPending && <Loading />}
        {error && <Problem error={error} title={t.failed} />}
        {data && <TestResult result={data} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            {t.again}
          </Button>
          <Button onClick={onClose}>{text.actions.close}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
