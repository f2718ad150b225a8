import { Component, type ReactNode } from 'react';
import { Button, Stack, Text, Title } from '@mantine/core';

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
        <Title order={1} size="h2">
          This page could not be displayed
        </Title>
        <Text>
          The console may have been updated, or the server cannot be reached. Load the page again.
        </Text>
        <Button
          onClick={() => {
            window.location.reload();
          }}
        >
          Load again
        </Button>
      </Stack>
    );
  }
}
