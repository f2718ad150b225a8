import { Alert, Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { importText } from '../../../text/import-text';
import type { ColumnType } from '../../column-type';
import type { ImportPlan } from '../plan/plan';
import { lineUnitOf } from '../read/record';
import { namedExamples } from './check-summary';

const t = importText.check;

export interface TypeHintsProps {
  readonly plan: ImportPlan;
  /** Chooses the type of the column at a position. */
  readonly onChoose: (at: number, type: ColumnType) => void;
}

/** Names the new text columns whose values mostly have another type, and the values that do not. */
export function TypeHints({ plan, onChoose }: TypeHintsProps): ReactNode {
  const hints = plan.columns.flatMap(({ target, type, title, hint }, at) =>
    hint && target.kind === 'new' && type === 'text' ? [{ at, title, hint }] : [],
  );
  if (hints.length === 0) return null;
  return (
    <Alert color="blue" role="status" title={t.hints}>
      {hints.map(({ at, title, hint: { type, values, misfits, examples } }) => (
        <Text size="sm" key={at}>
          {t.hint(
            title,
            values - misfits,
            values,
            type,
            namedExamples(examples, misfits, lineUnitOf(plan.format)),
          )}{' '}
          <Anchor
            component="button"
            type="button"
            size="sm"
            inherit
            onClick={() => {
              onChoose(at, type);
            }}
          >
            {t.makeType(title, type)}
          </Anchor>
        </Text>
      ))}
    </Alert>
  );
}
