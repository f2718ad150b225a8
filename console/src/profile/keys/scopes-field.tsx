import { Checkbox, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { includes, withIncluded } from './access';

export interface ScopesFieldProps {
  readonly label: string;
  readonly description: string;
  /** Permissions to choose from, with their descriptions. */
  readonly offered: readonly { readonly scope: string; readonly label: string }[];
  /** Chosen permissions, without those that they include. */
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (value: string[]) => void;
}

/** Chooses permissions. Those that a chosen one includes are checked, and cannot be cleared. */
export function ScopesField({
  label,
  description,
  offered,
  value,
  error,
  onChange,
}: ScopesFieldProps): ReactNode {
  const checked = withIncluded(value);
  return (
    <Checkbox.Group
      label={label}
      description={description}
      value={checked}
      error={error}
      onChange={(shown) => {
        const added = shown.filter((scope) => !checked.includes(scope));
        onChange([...value.filter((scope) => shown.includes(scope)), ...added]);
      }}
    >
      <Stack gap="xs" mt="xs">
        {offered.map((one) => (
          <Checkbox
            key={one.scope}
            value={one.scope}
            label={one.label}
            description={one.scope}
            disabled={value.some((scope) => includes(scope, one.scope))}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
