import { ActionIcon, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { messageOf } from '../api/api-error';
import type { Session } from '../api/types';
import { labelOfRole } from '../session/role';
import { useSignOut } from '../session/use-sign-out';
import { text } from '../text/text';
import { UserIcon } from './icons';

export function UserMenu({ session }: { readonly session: Session }): ReactNode {
  const { user, account } = session;
  const navigate = useNavigate();
  const signOut = useSignOut();
  const failed = (error: Error): void => {
    notifications.show({ color: 'red', title: text.frame.notSignedOut, message: messageOf(error) });
  };
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={text.frame.youAre(user.email)}
        >
          <UserIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={text.frame.you}>
        <Menu.Label component="div">
          <Text size="sm" c="var(--mantine-color-text)" fw={600}>
            {user.email}
          </Text>
          {text.frame.roleIn(labelOfRole(user.role), account.name)}
        </Menu.Label>
        <Menu.Item onClick={() => void navigate('/profile/keys')}>{text.frame.keys}</Menu.Item>
        <Menu.Item onClick={() => void navigate('/profile/sessions')}>
          {text.frame.sessions}
        </Menu.Item>
        <Menu.Item onClick={() => void navigate('/profile/password')}>
          {text.frame.password}
        </Menu.Item>
        <Menu.Item
          onClick={() => {
            signOut.mutate(undefined, {
              onSuccess: () => void navigate('/sign-in'),
              onError: failed,
            });
          }}
        >
          {text.frame.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
