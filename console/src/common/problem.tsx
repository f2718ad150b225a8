import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isApiError, messageOf } from '../api/api-error';

export interface ProblemProps {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** Shows an error in place of the content that failed to load. */
export function Problem({ error, title = 'This did not work', onRetry }: ProblemProps): ReactNode {
  const requestId = isApiError(error) ? error.requestId : undefined;
  return (
    <Alert color="red" title={title} role="alert">
      <Text size="sm">{messageOf(error)}</Text>
      {requestId && (
        <Text size="xs" mt="xs">
          Request {requestId}
        </Text>
      )}
      {onRetry && (
        <Group mt="sm">
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}
