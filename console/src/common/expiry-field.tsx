import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/text';
import { EXPIRY_CHOICES, today, type Expiry, type ExpiryChoice } from './expiry';

export interface ExpiryFieldProps {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  /** Shown if the choice is never. */
  readonly neverHint: string;
  readonly error: string | undefined;
}

export function ExpiryField({ value, onChange, neverHint, error }: ExpiryFieldProps): ReactNode {
  const isDate = value.choice === 'date';
  return (
    <>
      <NativeSelect
        label={text.expiry.after}
        data={[...EXPIRY_CHOICES]}
        value={value.choice}
        description={value.choice === 'never' ? neverHint : undefined}
        error={isDate ? undefined : error}
        onChange={(event) => {
          onChange({ ...value, choice: event.currentTarget.value as ExpiryChoice });
        }}
      />
      {isDate && (
        <TextInput
          type="date"
          label={text.expiry.lastDay}
          min={today()}
          value={value.day}
          error={error}
          onChange={(event) => {
            onChange({ ...value, day: event.currentTarget.value });
          }}
        />
      )}
    </>
  );
}
