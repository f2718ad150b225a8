import { useMutation } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { PASSWORD_HINT } from '../common/password-hint';
import { Page } from '../shell/page';
import { useSession } from '../session/session-context';
import { ProfileNav } from './profile-nav';
import { reloadSessions } from './sessions/sessions-query';

export function PasswordPage(): ReactNode {
  return (
    <Page title="Password" above={<ProfileNav />}>
      <Text mb="lg" maw="36rem">
        Changing it signs you out everywhere else. Your API keys keep working.
      </Text>
      <PasswordForm />
    </Page>
  );
}

function PasswordForm(): ReactNode {
  const { user } = useSession();
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request('PUT', '/password', { body: { currentPassword, newPassword } }),
    onSuccess: async () => {
      setCurrentPassword('');
      setNewPassword('');
      notifications.show({
        message: 'Your password has been changed. All other sessions have ended.',
      });
      await reloadSessions();
    },
  });
  const { fields, rest } = formErrors(error, ['currentPassword', 'newPassword']);
  return (
    <div className="profile-form">
      <Form
        submitLabel="Change the password"
        isPending={isPending}
        error={error}
        problem={rest}
        onSubmit={() => {
          mutate();
        }}
      >
        {/* Tells a password manager whose password this is. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordField
          label="Current password"
          name="currentPassword"
          autoComplete="current-password"
          value={currentPassword}
          error={fields.currentPassword}
          onChange={setCurrentPassword}
        />
        <PasswordField
          label="New password"
          name="newPassword"
          autoComplete="new-password"
          description={PASSWORD_HINT}
          value={newPassword}
          error={fields.newPassword}
          onChange={setNewPassword}
        />
      </Form>
    </div>
  );
}
