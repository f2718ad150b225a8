import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../api/client';
import type { InviteLink } from '../api/types';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { usersText } from '../text/users-text';
import { ShownLink } from './shown-link';
import type { UserDialogProps } from './user-task';

export function NewLinkDialog({ user, onClose }: UserDialogProps): ReactNode {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => (await request<InviteLink>('POST', `/users/${user.id}/invite`)).data,
  });
  if (data) return <ShownLink email={user.email} link={data} onClose={onClose} />;
  return (
    <Dialog title={usersText.link.title(user.email)} isOpen onClose={onClose}>
      <Form
        submitLabel={usersText.createLink}
        isPending={isPending}
        error={error}
        problem={formErrors(error, []).rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{usersText.link.hint}</Text>
      </Form>
    </Dialog>
  );
}
