import { ActionIcon, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { messageOf } from '../api/api-error';
import type { Session } from '../api/types';
import { labelOfRole } from '../session/role';
import { useSignOut } from '../session/use-sign-out';
import { UserIcon } from './icons';

export function UserMenu({ session }: { readonly session: Session }): ReactNode {
  const { user, account } = session;
  const navigate = useNavigate();
  const signOut = useSignOut();
  const failed = (error: Error): void => {
    notifications.show({ color: 'red', title: 'Not signed out', message: messageOf(error) });
  };
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`You: ${user.email}`}>
          <UserIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="You">
        <Menu.Label component="div">
          <Text size="sm" c="var(--mantine-color-text)" fw={600}>
            {user.email}
          </Text>
          {labelOfRole(user.role)} of {account.name}
        </Menu.Label>
        <Menu.Item onClick={() => void navigate('/profile/keys')}>API keys</Menu.Item>
        <Menu.Item onClick={() => void navigate('/profile/password')}>Password</Menu.Item>
        <Menu.Item
          onClick={() => {
            signOut.mutate(undefined, {
              onSuccess: () => void navigate('/sign-in'),
              onError: failed,
            });
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
