import { Alert, Anchor, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { importText } from '../../../text/import-text';
import type { ComparedCheck } from '../compare-file';
import type { CheckResult, Misfit } from '../plan/check';
import type { ValueExample } from '../plan/plan';
import { MAX_COMPARED_ROWS } from '../plan/unique-values';
import type { RunningTask } from '../plan/use-file-task';
import type { LineUnit } from '../read/record';

const t = importText.check;

export interface CheckSummaryProps {
  readonly check: RunningTask<ComparedCheck>;
  /** What the places of rows count. */
  readonly unit: LineUnit;
  /** True for a column whose type can still change. */
  readonly isNew: (at: number) => boolean;
  readonly onMakeText: (at: number) => void;
  /** Lets the import change the rows with the same value in a column. */
  readonly onMatch: (at: number) => void;
}

/** What the check of the whole file found, before anything is written. */
export function CheckSummary(props: CheckSummaryProps): ReactNode {
  const { check, unit, isNew, onMakeText, onMatch } = props;
  const { result, rows } = check;
  if (!result) {
    return (
      <Text size="sm" role="status">
        <Loader size="xs" mr="xs" />
        {t.running(rows)}
      </Text>
    );
  }
  const { misfits, rejected, emptied, leftOut, compared, repeatedKeys } = result;
  const isWhole = rejected === 0 && emptied === 0 && leftOut.length === 0;
  const isGood = isWhole && compared === 'all' && !repeatedKeys;
  return (
    <Alert
      color={isGood ? 'green' : rejected === result.rows ? 'red' : 'yellow'}
      role={isGood ? 'status' : 'alert'}
      title={titleOf(result)}
    >
      {misfits.map((misfit) => {
        const { at, title, reason, conflict } = misfit;
        const hasColumn = at !== undefined && title !== undefined;
        return (
          <Text size="sm" key={`${title ?? ''} ${reason}`}>
            {describe(misfit, unit)}{' '}
            {hasColumn && isNew(at) && (
              <Action
                label={t.makeText(title)}
                onClick={() => {
                  onMakeText(at);
                }}
              />
            )}
            {hasColumn && conflict === 'exists' && (
              <Action
                label={importText.plan.upsert(title)}
                onClick={() => {
                  onMatch(at);
                }}
              />
            )}
          </Text>
        );
      })}
      {leftOut.map(({ name, count }) => (
        <Text size="sm" key={name}>
          {t.leftOut(name, count)}
        </Text>
      ))}
      {repeatedKeys && (
        <Text size="sm">
          {t.keysRepeat(
            repeatedKeys.rows,
            repeatedKeys.title,
            repeatedKeys.text,
            repeatedKeys.rowsOfText,
          )}
        </Text>
      )}
      {compared !== 'all' && (
        <Text size="sm">
          {compared === 'first' ? t.comparedFirst(MAX_COMPARED_ROWS) : t.notCompared}
        </Text>
      )}
    </Alert>
  );
}

interface ActionProps {
  readonly label: string;
  readonly onClick: () => void;
}

/** A button within a text. */
function Action({ label, onClick }: ActionProps): ReactNode {
  return (
    <Anchor component="button" type="button" size="sm" inherit onClick={onClick}>
      {label}
    </Anchor>
  );
}

function titleOf({ rows, rejected, emptied }: CheckResult): string {
  const found = rejected === 0 ? t.allFit(rows, emptied) : t.someFit(rows, rejected);
  return emptied === 0 ? found : t.withEmptied(found, emptied);
}

function describe(misfit: Misfit, unit: LineUnit): string {
  const { title, reason, outcome, conflict, count, examples } = misfit;
  const named = namedExamples(examples, count, unit);
  if (title === undefined) return t.rowsMisfit(count, reason, named);
  if (conflict === 'exists') return t.rowsExist(count, title, named);
  if (conflict === 'repeated') return t.rowsRepeat(count, title, named);
  const found = t.valuesMisfit(count, title, reason, named);
  return outcome === 'emptied' ? t.leftEmpty(found, count) : found;
}

/** Lists examples of some values. */
export function namedExamples(
  examples: readonly ValueExample[],
  count: number,
  unit: LineUnit,
): string {
  const named = examples.map(({ text, line }) => t.example(text, t.places[unit](line)));
  return [...named, ...(count > examples.length ? ['…'] : [])].join(', ');
}
