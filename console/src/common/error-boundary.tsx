import { Component, type ReactNode } from 'react';
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { messageOf } from '../api/api-error';
import { text } from '../text/text';
import { ProblemIcon } from './problem-icon';

interface Props {
  /** A new value renders the page again. */
  readonly resetKey: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | undefined;
  readonly resetKey: string;
}

/**
 * Limits an error to the page in which it occurred. Often the code of the page is from an earlier
 * release.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey };
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children;
    return (
      <Stack className="page" align="flex-start" role="alert">
        <div className="page-problem-icon">
          <ProblemIcon isOutage={false} />
        </div>
        <Title order={1} size="h2">
          {text.problem.page}
        </Title>
        <Text>{text.problem.pageHint}</Text>
        <Group>
          <Button
            onClick={() => {
              window.location.reload();
            }}
          >
            {text.problem.pageReload}
          </Button>
          <Button component="a" href="/" variant="default">
            {text.problem.pageBack}
          </Button>
        </Group>
        <details>
          <summary>{text.problem.pageDetails}</summary>
          <Code block>{messageOf(this.state.error)}</Code>
        </details>
      </Stack>
    );
  }
}
