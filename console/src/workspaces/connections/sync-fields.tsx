import { Radio, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DatagridsFieldProps } from '../datagrids-field';
import { DELETIONS, type Deletions } from './connection';
import type { Draft } from './draft';

export interface SyncFieldProps {
  readonly draft: Draft;
  readonly error: string | undefined;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Returns the choice of a connection that only serves scheduled imports. */
export const noneOf = (
  { copiesNone }: Draft,
  onChange: (change: Partial<Draft>) => void,
): NonNullable<DatagridsFieldProps['none']> => ({
  label: 'None, only scheduled imports',
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
      label="Deleted rows"
      description="This cannot change after the first load."
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
      label="How often"
      value={isContinuous ? 'continuous' : 'interval'}
      error={isContinuous ? error : undefined}
      onChange={(value) => {
        onChange({ isContinuous: value === 'continuous' });
      }}
    >
      <Stack gap="xs" mt={4}>
        {destination.minMinutes === undefined && (
          <Radio value="continuous" label="Continuously, within seconds after a change" />
        )}
        <Radio value="interval" label="At intervals" />
        {!isContinuous && (
          <TextInput
            label="Minutes between two syncs"
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
