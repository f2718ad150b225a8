import { Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../api/types';
import { ROLES } from '../session/role';
import { usersText } from '../text/users-text';

export interface RoleFieldProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  readonly error: string | undefined;
  /** Roles to choose from: all if it is absent. */
  readonly roles?: readonly Role[];
}

export function RoleField({ value, onChange, error, roles }: RoleFieldProps): ReactNode {
  return (
    <Radio.Group
      label={usersText.role.label}
      value={value}
      error={error}
      onChange={(role) => {
        onChange(role);
      }}
    >
      <Stack gap="xs" mt={4} mb={4}>
        {ROLES.filter(({ role }) => roles?.includes(role) ?? true).map(({ role, label, may }) => (
          <Radio key={role} value={role} label={usersText.role.choice(label, may)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
