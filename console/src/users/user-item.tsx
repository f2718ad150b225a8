import { Badge, Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { User } from '../api/types';
import { formatDate } from '../common/time';
import { labelOfRole } from '../session/role';
import type { UserTask } from './user-task';
import './users.css';

export interface UserItemProps {
  readonly user: User;
  readonly isSelf: boolean;
  readonly onTask: (kind: UserTask) => void;
}

export function UserItem({ user, isSelf, onTask }: UserItemProps): ReactNode {
  const { email, role, suspended, hasPassword, createdAt } = user;
  const action = (kind: UserTask, label: string): ReactNode => (
    <Button
      variant="default"
      size="xs"
      aria-label={`${label}: ${email}`}
      onClick={() => {
        onTask(kind);
      }}
    >
      {label}
    </Button>
  );
  return (
    <Paper component="li" withBorder p="md">
      <Group justify="space-between">
        <div className="user-who">
          <Group gap="xs">
            <Text fw={600} className="user-email">
              {email}
            </Text>
            <Badge variant="light">{labelOfRole(role)}</Badge>
            {isSelf && <Badge variant="default">You</Badge>}
            {suspended && (
              <Badge variant="light" color="red">
                Suspended
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {hasPassword ? 'Signs in with a password' : 'Has set no password yet'}, here since{' '}
            {formatDate(createdAt)}
          </Text>
        </div>
        <Group gap="xs">
          {action('role', 'Role')}
          {action('link', hasPassword ? 'New password link' : 'Invite link')}
          {!isSelf && action('suspension', suspended ? 'Resume' : 'Suspend')}
        </Group>
      </Group>
    </Paper>
  );
}
