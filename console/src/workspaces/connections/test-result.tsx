import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { connectionsText } from '../../text/connections-text';
import type { TestResult as Result } from './connection';

const t = connectionsText.test;

/** Says in words whether a test has succeeded. */
export function TestResult({ result }: { readonly result: Result }): ReactNode {
  if (result.ok) {
    return (
      <Alert color="green" role="status" title={t.ok}>
        {t.okHint}
      </Alert>
    );
  }
  return (
    <Alert color="red" role="alert" title={t.notOk}>
      {result.error ?? t.noReason}
    </Alert>
  );
}
