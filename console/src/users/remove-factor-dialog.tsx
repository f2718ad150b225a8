import type { ReactNode } from 'react';
import { request } from '../api/client';
import { Confirm } from '../common/confirm';
import { reloadUsers } from '../session/users-query';
import { usersText } from '../text/users-text';
import type { UserDialogProps } from './user-task';

export function RemoveFactorDialog({ user, onClose }: UserDialogProps): ReactNode {
  const t = usersText.secondFactor;
  return (
    <Confirm
      title={t.removeTitle(user.email)}
      message={t.removeHint}
      submitLabel={t.remove}
      onClose={onClose}
      onConfirm={async () => {
        await request('DELETE', `/users/${user.id}/factors`);
        await reloadUsers();
      }}
    />
  );
}
