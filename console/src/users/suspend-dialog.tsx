import type { ReactNode } from 'react';
import { request } from '../api/client';
import { Confirm } from '../common/confirm';
import type { UserDialogProps } from './user-task';
import { reloadUsers } from '../session/users-query';
import { usersText } from '../text/users-text';

export function SuspendDialog({ user, onClose }: UserDialogProps): ReactNode {
  const t = usersText.suspension;
  const { suspended, email, id } = user;
  return (
    <Confirm
      title={suspended ? t.resumeTitle(email) : t.suspendTitle(email)}
      message={suspended ? t.resumeHint : t.suspendHint}
      submitLabel={suspended ? t.resume : t.suspend}
      isDangerous={!suspended}
      onClose={onClose}
      onConfirm={async () => {
        await request('PATCH', `/users/${id}`, { body: { suspended: !suspended } });
        await reloadUsers();
      }}
    />
  );
}
