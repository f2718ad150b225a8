import { Alert, Anchor, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { importText } from '../../../text/import-text';
import type { CheckResult, Misfit } from '../plan/check';
import type { ValueExample } from '../plan/plan';
import type { RunningTask } from '../plan/use-file-task';

const t = importText.check;

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
        {t.running(rows)}
      </Text>
    );
  }
  const { misfits, rejected, emptied, leftOut } = result;
  const isGood = rejected === 0 && emptied === 0 && leftOut.length === 0;
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
            {at !== undefined && misfit.title !== undefined && isNew(at) && (
              <Anchor
                component="button"
                type="button"
                size="sm"
                inherit
                onClick={() => {
                  onMakeText(at);
                }}
              >
                {t.makeText(misfit.title)}
              </Anchor>
            )}
          </Text>
        );
      })}
      {leftOut.map(({ name, count }) => (
        <Text size="sm" key={name}>
          {t.leftOut(name, count)}
        </Text>
      ))}
    </Alert>
  );
}

function titleOf({ rows, rejected, emptied }: CheckResult): string {
  const found = rejected === 0 ? t.allFit(rows, emptied) : t.someFit(rows, rejected);
  return emptied === 0 ? found : t.withEmptied(found, emptied);
}

function describe({ title, reason, outcome, count, examples }: Misfit): string {
  const named = namedExamples(examples, count);
  if (title === undefined) return t.rowsMisfit(count, reason, named);
  const found = t.valuesMisfit(count, title, reason, named);
  return outcome === 'emptied' ? t.leftEmpty(found, count) : found;
}

/** Lists examples of some values. */
export function namedExamples(examples: readonly ValueExample[], count: number): string {
  const named = examples.map(({ text, line }) => t.example(text, line));
  return [...named, ...(count > examples.length ? ['…'] : [])].join(', ');
}
