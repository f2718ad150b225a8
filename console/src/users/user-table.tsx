import { Badge, Group, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { User } from '../api/types';
import { DataTable, type TableColumn } from '../common/data-table';
import { Day } from '../common/when';
import { DANGER, ItemMenu } from '../list/item-menu';
import { labelOfRole } from '../session/role';
import { text } from '../text/text';
import { usersText } from '../text/users-text';
import type { UserTask } from './user-task';

export interface UserTableProps {
  readonly users: readonly User[];
  readonly selfId: string;
  readonly onTask: (kind: UserTask, user: User) => void;
}

export function UserTable({ users, selfId, onTask }: UserTableProps): ReactNode {
  const t = usersText.columns;
  const columns: readonly TableColumn<User>[] = [
    {
      title: t.email,
      cell: ({ id, email, suspended, isService }) => (
        <Group gap="xs">
          <span className="unbroken" title={email}>
            {email}
          </span>
          {isService && <Badge variant="default">{usersText.service.badge}</Badge>}
          {id === selfId && <Badge variant="default">{usersText.you}</Badge>}
          {suspended && (
            <Badge variant="light" color="red">
              {usersText.suspended}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      title: t.role,
      line: 'titled',
      cell: ({ role, workspaceRoles: { length } }) =>
        length === 0 ? labelOfRole(role) : usersText.workspaceRoles.and(labelOfRole(role), length),
    },
    {
      title: t.signIn,
      isWide: true,
      cell: signInOf,
    },
    { title: t.created, isWide: true, cell: ({ createdAt }) => <Day iso={createdAt} /> },
    {
      title: t.actions,
      isActions: true,
      cell: (user) => <UserActions user={user} isSelf={user.id === selfId} onTask={onTask} />,
    },
  ];
  return (
    <DataTable label={usersText.label} columns={columns} items={users} idOf={({ id }) => id} />
  );
}

function signInOf({ isService, hasPassword, hasSecondFactor }: User): string {
  if (isService) return usersText.service.noSignIn;
  if (!hasPassword) return usersText.hasNoPassword;
  return hasSecondFactor ? usersText.hasSecondFactor : usersText.hasPassword;
}

interface UserActionsProps {
  readonly user: User;
  readonly isSelf: boolean;
  readonly onTask: (kind: UserTask, user: User) => void;
}

function UserActions({ user, isSelf, onTask }: UserActionsProps): ReactNode {
  const { resume, suspend } = usersText.suspension;
  const item = (kind: UserTask, label: string, isDangerous = false): ReactNode => (
    <Menu.Item
      {...(isDangerous && { c: DANGER })}
      onClick={() => {
        onTask(kind, user);
      }}
    >
      {label}
    </Menu.Item>
  );
  return (
    <ItemMenu label={text.lists.actionsFor(user.email)}>
      {item('role', usersText.role.change)}
      {item('workspaces', usersText.workspaceRoles.change)}
      {user.isService ? (
        <Menu.Item component={Link} to={`/users/${user.id}/keys`}>
          {usersText.service.viewKeys}
        </Menu.Item>
      ) : (
        item('link', user.hasPassword ? usersText.newPasswordLink : usersText.inviteLink)
      )}
      {!isSelf && (
        <>
          <Menu.Divider />
          {user.hasSecondFactor && item('factor', usersText.secondFactor.remove)}
          {user.suspended ? item('suspension', resume) : item('suspension', suspend, true)}
        </>
      )}
    </ItemMenu>
  );
}
