import { Badge, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { User } from '../api/types';
import { DataTable, type TableColumn } from '../common/data-table';
import { Day } from '../common/when';
import { labelOfRole } from '../session/role';
import type { UserTask } from './user-task';

export interface UserTableProps {
  readonly users: readonly User[];
  readonly selfId: string;
  readonly onTask: (kind: UserTask, user: User) => void;
}

export function UserTable({ users, selfId, onTask }: UserTableProps): ReactNode {
  const columns: readonly TableColumn<User>[] = [
    {
      title: 'Email',
      cell: ({ id, email, suspended }) => (
        <Group gap="xs">
          {email}
          {id === selfId && <Badge variant="default">You</Badge>}
          {suspended && (
            <Badge variant="light" color="red">
              Suspended
            </Badge>
          )}
        </Group>
      ),
    },
    { title: 'Role', isWide: true, cell: ({ role }) => labelOfRole(role) },
    {
      title: 'Sign-in',
      isWide: true,
      cell: ({ hasPassword }) => (hasPassword ? 'Password' : 'Has set no password yet'),
    },
    { title: 'Created', isWide: true, cell: ({ createdAt }) => <Day iso={createdAt} /> },
    {
      title: 'Actions',
      isActions: true,
      cell: (user) => <UserActions user={user} isSelf={user.id === selfId} onTask={onTask} />,
    },
  ];
  return <DataTable label="Users" columns={columns} items={users} idOf={({ id }) => id} />;
}

interface UserActionsProps {
  readonly user: User;
  readonly isSelf: boolean;
  readonly onTask: (kind: UserTask, user: User) => void;
}

function UserActions({ user, isSelf, onTask }: UserActionsProps): ReactNode {
  const action = (kind: UserTask, label: string): ReactNode => (
    <Button
      variant="subtle"
      size="compact-xs"
      aria-label={`${label}: ${user.email}`}
      onClick={() => {
        onTask(kind, user);
      }}
    >
      {label}
    </Button>
  );
  return (
    <Group gap={2} className="user-actions">
      {action('role', 'Role')}
      {action('link', user.hasPassword ? 'New password link' : 'Invite link')}
      {!isSelf && action('suspension', user.suspended ? 'Resume' : 'Suspend')}
    </Group>
  );
}
