import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/text';

export interface PasswordFieldProps {
  readonly label: string;
  readonly name: string;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
  readonly description?: string;
}

export function PasswordField({ onChange, ...props }: PasswordFieldProps): ReactNode {
  return (
    <PasswordInput
      {...props}
      // By default, the keyboard cannot reach the button.
      visibilityToggleButtonProps={{ 'aria-label': text.passwords.show, tabIndex: 0 }}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
