import { Radio, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { connectionsText } from '../../text/connections-text';
import type { DatagridsFieldProps } from '../datagrids-field';
import { DELETIONS, type Deletions } from './connection';
import type { Draft } from './draft';

export interface SyncFieldProps {
  readonly draft: Draft;
  readonly error: string | undefined;
  readonly onChange: (change: Partial<Draft>) => void;
}

const t = connectionsText.form;

/** Returns the choice of a connection that only serves scheduled imports. */
export const noneOf = (
  { copiesNone }: Draft,
  onChange: (change: Partial<Draft>) => void,
): NonNullable<DatagridsFieldProps['none']> => ({
  label: t.noDatagrids,
  isChosen: copiesNone,
  onChange: (isChosen) => {
    onChange({ copiesNone: isChosen });
  },
});

const isDeletions = (value: string): value is Deletions => Object.hasOwn(DELETIONS, value);

/** Chooses what a deleted row does in the destination, of what its type supports. */
export function DeletionsField({ draft, error, onChange }: SyncFieldProps): ReactNode {
  return (
    <Radio.Group
      label={t.deletions}
      description={t.deletionsHint}
      value={draft.deletions}
      error={error}
      onChange={(value) => {
        if (isDeletions(value)) onChange({ deletions: value });
      }}
    >
      <Stack gap="xs" mt={4}>
        {draft.destination.deletions.map((value) => (
          <Radio key={value} value={value} label={DELETIONS[value].choice} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** Chooses how often a connection is synced. */
export function FrequencyField({ draft, error, onChange }: SyncFieldProps): ReactNode {
  const { isContinuous, minutes, destination } = draft;
  return (
    <Radio.Group
      label={t.frequency}
      value={isContinuous ? 'continuous' : 'interval'}
      error={isContinuous ? error : undefined}
      onChange={(value) => {
        onChange({ isContinuous: value === 'continuous' });
      }}
    >
      <Stack gap="xs" mt={4}>
        {destination.minMinutes === undefined && <Radio value="continuous" label={t.continuous} />}
        <Radio value="interval" label={t.intervals} />
        {!isContinuous && (
          <TextInput
            label={t.minutes}
            inputMode="decimal"
            maw="16rem"
            value={minutes}
            error={error}
            onChange={({ currentTarget }) => {
              onChange({ minutes: currentTarget.value });
            }}
          />
        )}
      </Stack>
    </Radio.Group>
  );
}
