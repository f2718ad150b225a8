import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, NavLink } from 'react-router';
import { mayManageUsers } from '../session/role';
import { sessionQuery } from '../session/session-query';

export function Header(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  return (
    <header className="shell-header">
      <Group h={56} px="md">
        <Text component={Link} to="/" fw={700}>
          Datagrids
        </Text>
        {session && (
          <Group component="nav" aria-label="Main">
            <NavLink to="/workspaces">Workspaces</NavLink>
            {mayManageUsers(session.user.role) && <NavLink to="/users">Users</NavLink>}
            <NavLink to="/profile">Profile</NavLink>
          </Group>
        )}
      </Group>
    </header>
  );
}
