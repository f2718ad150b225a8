import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Text } from '@mantine/core';
import { request } from '../api/client';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { RoleField } from './role-field';
import { SERVICE_ROLES } from './service-account-dialog';
import type { UserDialogProps } from './user-task';
import { reloadUsers } from '../session/users-query';
import { usersText } from '../text/users-text';

export function RoleDialog({ user, onClose }: UserDialogProps): ReactNode {
  const [role, setRole] = useState(user.role);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request('PATCH', `/users/${user.id}`, { body: { role } }),
    onSuccess: async () => {
      onClose();
      await reloadUsers();
    },
  });
  const { fields, rest } = formErrors(error, ['role']);
  return (
    <Dialog title={usersText.role.title(user.email)} isOpen onClose={onClose}>
      <Form
        submitLabel={usersText.role.submit}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{usersText.role.hint}</Text>
        <RoleField
          value={role}
          onChange={setRole}
          error={fields.role}
          {...(user.isService && { roles: SERVICE_ROLES })}
        />
      </Form>
    </Dialog>
  );
}
