import { Alert, Button, Code, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isApiError, messageOf } from '../api/api-error';
import { text } from '../text/text';
import { CopyButton } from './copy-button';
import { adviceOf } from './problem-advice';
import { ProblemIcon } from './problem-icon';

export interface ProblemProps {
  readonly error: unknown;
  /** Replaces the title for the kind of the error. */
  readonly title?: string;
  /** Replaces the message of the error. */
  readonly message?: ReactNode;
  readonly onRetry?: () => void;
}

/** Shows an error in place of the content that failed to load: what happened, and what to do. */
export function Problem({ error, title, message, onRetry }: ProblemProps): ReactNode {
  const requestId = isApiError(error) ? error.requestId : undefined;
  const advice = adviceOf(error);
  const mayHelp = !isApiError(error) || error.status !== 404;
  return (
    <Alert
      color={advice.isOutage ? 'yellow' : 'red'}
      title={title ?? advice.title}
      icon={<ProblemIcon isOutage={advice.isOutage} />}
      role="alert"
    >
      {message ?? <Text size="sm">{messageOf(error)}</Text>}
      {advice.hint && <Text size="sm">{advice.hint}</Text>}
      {requestId && (
        <Group gap="xs" mt="xs">
          <Text size="xs">{text.problem.requestId}</Text>
          <Code className="request-id">{requestId}</Code>
          <CopyButton text={requestId} label={text.problem.copyId} />
        </Group>
      )}
      {onRetry && mayHelp && (
        <Group mt="sm">
          <Button variant="default" size="xs" onClick={onRetry}>
            {text.problem.retry}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
