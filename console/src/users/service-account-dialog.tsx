import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { request } from '../api/client';
import type { Role, User } from '../api/types';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { reloadUsers } from '../session/users-query';
import { usersText } from '../text/users-text';
import { RoleField } from './role-field';

const t = usersText.service;

/** A service account cannot be an owner. */
export const SERVICE_ROLES: readonly Role[] = ['member', 'viewer', 'editor', 'admin'];

/** Creates a service account, and opens the page of its keys. */
export function ServiceAccountDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () =>
      (await request<User>('POST', '/service-accounts', { body: { name: name.trim(), role } }))
        .data,
    onSuccess: ({ id }) => void navigate(`/users/${id}/keys`),
    onSettled: reloadUsers,
  });
  const { fields, rest } = formErrors(error, ['name', 'email', 'role']);
  return (
    <Dialog title={t.create} isOpen onClose={onClose}>
      <Form
        submitLabel={t.submit}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <TextInput
          label={t.name}
          description={t.nameHint}
          autoComplete="off"
          data-autofocus
          value={name}
          error={fields.name ?? fields.email}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <RoleField value={role} onChange={setRole} error={fields.role} roles={SERVICE_ROLES} />
      </Form>
    </Dialog>
  );
}
