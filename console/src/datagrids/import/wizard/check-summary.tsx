import { Alert, Anchor, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { countOf } from '../../../common/count-of';
import type { CheckResult, Misfit } from '../plan/check';
import type { RunningTask } from '../plan/use-file-task';

export interface CheckSummaryProps {
  readonly check: RunningTask<CheckResult>;
  /** True for a column whose type can still change. */
  readonly isNew: (at: number) => boolean;
  readonly onMakeText: (at: number) => void;
}

/** What the check of the whole file found, before anything is written. */
export function CheckSummary({ check, isNew, onMakeText }: CheckSummaryProps): ReactNode {
  const { result, rows } = check;
  if (!result) {
    return (
      <Text size="sm" role="status">
        <Loader size="xs" mr="xs" />
        Checking the file: {countOf(rows, 'row')} so far
      </Text>
    );
  }
  const { misfits, rejected, leftOut } = result;
  const isGood = rejected === 0 && leftOut.length === 0;
  return (
    <Alert
      color={isGood ? 'green' : rejected === result.rows ? 'red' : 'yellow'}
      role={isGood ? 'status' : 'alert'}
      title={titleOf(result)}
    >
      {misfits.map((misfit) => {
        const { at } = misfit;
        return (
          <Text size="sm" key={`${misfit.title ?? ''} ${misfit.reason}`}>
            {describe(misfit)}{' '}
            {at !== undefined && isNew(at) && (
              <Anchor
                component="button"
                type="button"
                size="sm"
                inherit
                onClick={() => {
                  onMakeText(at);
                }}
              >
                Import {misfit.title} as text
              </Anchor>
            )}
          </Text>
        );
      })}
      {leftOut.map(({ name, count }) => (
        <Text size="sm" key={name}>
          {name} is left out, and has {countOf(count, 'value')}.
        </Text>
      ))}
    </Alert>
  );
}

function titleOf({ rows, rejected }: CheckResult): string {
  if (rejected === 0) return `All ${countOf(rows, 'row')} fit`;
  const verb = rejected === 1 ? 'does' : 'do';
  return `${rejected.toLocaleString()} of ${countOf(rows, 'row')} ${verb} not fit and will be left out`;
}

function describe({ title, reason, count, examples }: Misfit): string {
  const named = examples.map(({ text, line }) => `“${text}” in line ${line.toLocaleString()}`);
  const subject = title === undefined ? countOf(count, 'row') : countOf(count, 'value');
  const what = title === undefined ? reason : `of ${title} ${reason}`;
  return `${subject} ${what}: ${named.join(', ')}${count > examples.length ? ', …' : ''}.`;
}
