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
  /** Whether it has the focus when its dialog opens. */
  readonly hasFocus?: boolean;
}

export function PasswordField({
  onChange,
  hasFocus = false,
  ...props
}: PasswordFieldProps): ReactNode {
  return (
    <PasswordInput
      {...props}
      data-autofocus={hasFocus || undefined}
      // By default, the keyboard cannot reach the button.
      visibilityToggleButtonProps={{ 'aria-label': text.passwords.show, tabIndex: 0 }}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
