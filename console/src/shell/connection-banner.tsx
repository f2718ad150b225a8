import { Button, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { text } from '../text/text';
import { connection } from './connection';

/** Reports that the server is unavailable, until it is available again. */
export function ConnectionBanner(): ReactNode {
  const isConnectionFailure = useSyncExternalStore(connection.subscribe, connection.getIsFailing);
  return (
    <div role="status" className="connection">
      {isConnectionFailure && (
        <div className="connection-banner">
          <Text size="sm">{text.frame.unreachable}</Text>
          <Button variant="default" size="compact-sm" onClick={() => void connection.probe()}>
            {text.frame.tryNow}
          </Button>
        </div>
      )}
    </div>
  );
}
