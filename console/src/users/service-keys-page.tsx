import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, type ReactNode } from 'react';
import { useParams } from 'react-router';
import type { ApiKey, Role, User } from '../api/types';
import { EmptyState } from '../common/empty-state';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { Crumbs } from '../list/crumbs';
import { CreateKeyDialog, RotateKeyDialog } from '../profile/keys/key-dialogs';
import { KeyTable } from '../profile/keys/key-table';
import { RevokeKeyDialog } from '../profile/keys/revoke-key-dialog';
import '../profile/keys/keys.css';
import { keysOfService, keysQueryAt } from '../session/keys-query';
import { highestRole, mayManageUsers } from '../session/role';
import { useSession } from '../session/session-context';
import { usersQuery } from '../session/users-query';
import { Page } from '../shell/page';
import { profileText } from '../text/profile-text';
import { usersText } from '../text/users-text';

const t = usersText.service;

type Task = { readonly kind: 'create' } | { readonly kind: 'revoke' | 'rotate'; key: ApiKey };

/** The keys of a service account, for owners. */
export default function ServiceKeysPage(): ReactNode {
  const { userId = '' } = useParams();
  if (mayManageUsers(useSession().user.role)) return <ServiceKeys userId={userId} />;
  return (
    <Page title={t.keys}>
      <Alert color="yellow">{usersText.forbidden}</Alert>
    </Page>
  );
}

function ServiceKeys({ userId }: { readonly userId: string }): ReactNode {
  const path = keysOfService(userId);
  const { data: keys, error, refetch } = useQuery(keysQueryAt(path));
  const { data: users } = useQuery(usersQuery);
  const [task, setTask] = useState<Task>();
  const user = users?.find(({ id }) => id === userId);
  const close = (): void => {
    setTask(undefined);
  };
  const create = (
    <Button
      onClick={() => {
        setTask({ kind: 'create' });
      }}
    >
      {profileText.keys.create}
    </Button>
  );
  return (
    <Page
      title={user ? t.keysOf(user.email) : t.keys}
      above={<Crumbs way={[{ name: usersText.title, to: '/users' }]} />}
      intro={t.keysHint}
      actions={keys?.length !== 0 && create}
    >
      {!keys && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!keys && !error && <Loading />}
      {keys?.length === 0 && (
        <EmptyState title={profileText.keys.none} action={create}>
          {profileText.keys.noneHint}
        </EmptyState>
      )}
      {keys && keys.length > 0 && (
        <KeyTable
          label={t.keys}
          keys={keys}
          onRotate={(key) => {
            setTask({ kind: 'rotate', key });
          }}
          onRevoke={(key) => {
            setTask({ kind: 'revoke', key });
          }}
        />
      )}
      <Suspense>
        {task?.kind === 'create' && (
          <CreateKeyDialog
            path={path}
            onClose={close}
            {...(user && { role: highestRoleOf(user) })}
          />
        )}
        {task?.kind === 'revoke' && (
          <RevokeKeyDialog apiKey={task.key} path={path} onClose={close} />
        )}
        {task?.kind === 'rotate' && (
          <RotateKeyDialog apiKey={task.key} path={path} onClose={close} />
        )}
      </Suspense>
    </Page>
  );
}

function highestRoleOf({ id, email, role, workspaceRoles }: User): Role {
  const entries = workspaceRoles.map((grant) => [grant.workspaceId, grant.role] as const);
  return highestRole({ id, email, role, workspaceRoles: Object.fromEntries(entries) });
}
