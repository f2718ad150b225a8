import { Radio, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DatagridsFieldProps } from '../datagrids-field';
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

/** Chooses what a deleted row does in the destination. */
export function DeletionsField({ draft, error, onChange }: SyncFieldProps): ReactNode {
  return (
    <Radio.Group
      label="Deleted rows"
      description="This cannot change after the first load."
      value={draft.deletions}
      error={error}
      onChange={(value) => {
        onChange({ deletions: value === 'mark' ? 'mark' : 'delete' });
      }}
    >
      <Stack gap="xs" mt={4}>
        <Radio value="delete" label="Are deleted in the destination" />
        <Radio value="mark" label="Stay, with the time of the deletion in _deleted_at" />
      </Stack>
    </Radio.Group>
  );
}

/** Chooses how often a connection is synced. */
export function FrequencyField({ draft, error, onChange }: SyncFieldProps): ReactNode {
  const { isContinuous, minutes } = draft;
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
        <Radio value="continuous" label="Continuously, within seconds after a change" />
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
