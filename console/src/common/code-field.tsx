import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

export interface CodeFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly hasFocus?: boolean;
  readonly onChange: (value: string) => void;
}

/** Field for a code of an authenticator app, or a recovery code. */
export function CodeField({ hasFocus = false, onChange, ...props }: CodeFieldProps): ReactNode {
  return (
    <TextInput
      {...props}
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      data-autofocus={hasFocus || undefined}
      autoFocus={hasFocus}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
