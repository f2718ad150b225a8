import { Button, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { connection } from './connection';

/** Says so where the server is away, and goes by itself once it is back. */
export function ConnectionBanner(): ReactNode {
  const isConnectionFailure = useSyncExternalStore(connection.subscribe, connection.getIsAway);
  return (
    <div role="status" className="connection">
      {isConnectionFailure && (
        <div className="connection-banner">
          <Text size="sm">
            The server cannot be reached. What you have typed is kept here; this page tries again by
            itself.
          </Text>
          <Button variant="default" size="compact-sm" onClick={() => void connection.probe()}>
            Try again now
          </Button>
        </div>
      )}
    </div>
  );
}
