import { useMutation } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { Page } from '../shell/page';
import { useSession } from '../session/session-context';
import { profileText } from '../text/profile-text';
import { text } from '../text/text';
import { ProfileNav } from './profile-nav';
import { reloadSessions } from './sessions/sessions-query';

const t = profileText.password;

export function PasswordPage(): ReactNode {
  return (
    <Page title={t.title} above={<ProfileNav />} intro={t.hint}>
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
      notifications.show({ message: t.changed });
      await reloadSessions();
    },
  });
  const { fields, rest } = formErrors(error, ['currentPassword', 'newPassword']);
  return (
    <div className="profile-form">
      <Form
        submitLabel={t.submit}
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
          label={text.passwords.current}
          name="currentPassword"
          autoComplete="current-password"
          value={currentPassword}
          error={fields.currentPassword}
          onChange={setCurrentPassword}
        />
        <PasswordField
          label={t.new}
          name="newPassword"
          autoComplete="new-password"
          description={text.passwords.hint}
          value={newPassword}
          error={fields.newPassword}
          onChange={setNewPassword}
        />
      </Form>
    </div>
  );
}
