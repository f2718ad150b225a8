import type { ReactNode } from 'react';
import { request } from '../api/client';
import { Confirm } from '../common/confirm';
import type { UserDialogProps } from './user-task';
import { reloadUsers } from '../session/users-query';

export function SuspendDialog({ user, onClose }: UserDialogProps): ReactNode {
  const { suspended, email, id } = user;
  return (
    <Confirm
      title={suspended ? `Resume ${email}?` : `Suspend ${email}?`}
      message={
        suspended
          ? 'They can sign in again, and their API keys work again at once.'
          : 'They are signed out of the console, and their API keys stop working with the next request. You can resume them at any time.'
      }
      submitLabel={suspended ? 'Resume' : 'Suspend'}
      isDangerous={!suspended}
      onClose={onClose}
      onConfirm={async () => {
        await request('PATCH', `/users/${id}`, { body: { suspended: !suspended } });
        await reloadUsers();
      }}
    />
  );
}
