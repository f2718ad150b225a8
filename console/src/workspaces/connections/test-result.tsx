import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { TestResult as Result } from './connection';

/** Says in words whether a test has succeeded. */
export function TestResult({ result }: { readonly result: Result }): ReactNode {
  if (result.ok) {
    return (
      <Alert color="green" role="status" title="The test succeeded">
        The service can connect to the destination, and has the rights that a sync needs.
      </Alert>
    );
  }
  return (
    <Alert color="red" role="alert" title="The test failed">
      {result.error ?? 'The destination gave no reason.'}
    </Alert>
  );
}
