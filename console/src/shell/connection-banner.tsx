import { Button, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { connection } from './connection';

/** Reports that the server is unavailable, until it is available again. */
export function ConnectionBanner(): ReactNode {
  const isConnectionFailure = useSyncExternalStore(connection.subscribe, connection.getIsFailing);
  return (
    <div role="status" className="connection">
      {isConnectionFailure && (
        <div className="connection-banner">
          <Text size="sm">
            The server cannot be reached. Your input is still here. This page retries automatically.
          </Text>
          <Button variant="default" size="compact-sm" onClick={() => void connection.probe()}>
            Try again now
          </Button>
        </div>
      )}
    </div>
  );
}
