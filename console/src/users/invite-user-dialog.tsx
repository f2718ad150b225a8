import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import type { InviteLink, Role, User } from '../api/types';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { RoleField } from './role-field';
import { ShownLink } from './shown-link';
import { reloadUsers } from '../session/users-query';
import { usersText } from '../text/users-text';

type Invited = InviteLink & { readonly user: User };

export interface InviteUserDialogProps {
  /** Called with an invited member, who sees nothing before they have a role in a workspace. */
  readonly onMember: (user: User) => void;
  readonly onClose: () => void;
}

export function InviteUserDialog({ onMember, onClose }: InviteUserDialogProps): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const options = { body: { email: email.trim(), role } };
      return (await request<Invited>('POST', '/users', options)).data;
    },
    onSettled: reloadUsers,
  });
  const { fields, rest } = formErrors(error, ['email', 'role']);
  if (data) {
    const { user } = data;
    const next = (): void => {
      onClose();
      if (user.role === 'member') onMember(user);
    };
    return <ShownLink email={user.email} link={data} onClose={next} />;
  }
  return (
    <Dialog title={usersText.invite} isOpen onClose={onClose}>
      <Form
        submitLabel={usersText.createLink}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <TextInput
          label={usersText.inviteEmail}
          type="email"
          autoComplete="off"
          data-autofocus
          value={email}
          error={fields.email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
          }}
        />
        <RoleField value={role} onChange={setRole} error={fields.role} />
      </Form>
    </Dialog>
  );
}
