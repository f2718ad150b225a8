import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Text } from '@mantine/core';
import { request } from '../api/client';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { RoleField } from './role-field';
import type { UserDialogProps } from './user-task';
import { reloadUsers } from '../session/users-query';

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
    <Dialog title={`The role of ${user.email}`} isOpen onClose={onClose}>
      <Form
        submitLabel="Change the role"
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>It applies from the next request, also to their API keys.</Text>
        <RoleField value={role} onChange={setRole} error={fields.role} />
      </Form>
    </Dialog>
  );
}
