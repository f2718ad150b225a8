import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { User } from '../api/types';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { mayManageUsers } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { InviteUserDialog } from './invite-user-dialog';
import { NewLinkDialog } from './new-link-dialog';
import { RemoveFactorDialog } from './remove-factor-dialog';
import { RoleDialog } from './role-dialog';
import { ServiceAccountDialog } from './service-account-dialog';
import { SuspendDialog } from './suspend-dialog';
import { UserTable } from './user-table';
import type { UserTask } from './user-task';
import { WorkspaceRolesDialog } from './workspace-roles-dialog';
import { usersQuery } from '../session/users-query';
import { usersText } from '../text/users-text';

export default function UsersPage(): ReactNode {
  const { user } = useSession();
  if (mayManageUsers(user.role)) return <Users />;
  return (
    <Page title={usersText.title}>
      <Alert color="yellow">{usersText.forbidden}</Alert>
    </Page>
  );
}

function Users(): ReactNode {
  const { user: self } = useSession();
  const { data: users, error, refetch } = useQuery(usersQuery);
  const [creating, setCreating] = useState<'user' | 'service'>();
  const [task, setTask] = useState<{ kind: UserTask; user: User }>();
  const close = (): void => {
    setCreating(undefined);
    setTask(undefined);
  };
  const actions = (
    <>
      <Button
        variant="default"
        onClick={() => {
          setCreating('service');
        }}
      >
        {usersText.service.create}
      </Button>
      <Button
        onClick={() => {
          setCreating('user');
        }}
      >
        {usersText.invite}
      </Button>
    </>
  );
  return (
    <Page title={usersText.title} intro={usersText.intro} actions={actions}>
      {!users && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!users && !error && <Loading />}
      {users && (
        <UserTable
          users={users}
          selfId={self.id}
          onTask={(kind, user) => {
            setTask({ kind, user });
          }}
        />
      )}
      {creating === 'user' && (
        <InviteUserDialog
          onClose={close}
          onMember={(user) => {
            setTask({ kind: 'workspaces', user });
          }}
        />
      )}
      {creating === 'service' && <ServiceAccountDialog onClose={close} />}
      {task?.kind === 'workspaces' && <WorkspaceRolesDialog user={task.user} onClose={close} />}
      {task?.kind === 'role' && <RoleDialog user={task.user} onClose={close} />}
      {task?.kind === 'suspension' && <SuspendDialog user={task.user} onClose={close} />}
      {task?.kind === 'factor' && <RemoveFactorDialog user={task.user} onClose={close} />}
      {task?.kind === 'link' && <NewLinkDialog user={task.user} onClose={close} />}
    </Page>
  );
}
