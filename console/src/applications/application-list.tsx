import { Badge, Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { Confirm } from '../common/confirm';
import { DataTable, type TableColumn } from '../common/data-table';
import { Day, When } from '../common/when';
import { describeAccess } from '../profile/keys/access';
import { applicationsText } from '../text/applications-text';
import { type Application, OWN, reloadApplications } from './applications-query';

const t = applicationsText;

export interface ApplicationListProps {
  readonly applications: readonly Application[];
  /** Path of the list: of the user, or of all users of the account. */
  readonly path: string;
}

/** Applications that have access, each with a button that revokes it. */
export function ApplicationList({ applications, path }: ApplicationListProps): ReactNode {
  const [revoking, setRevoking] = useState<Application>();
  const user: TableColumn<Application> = { title: t.user, cell: (item) => item.user.email };
  const columns: readonly TableColumn<Application>[] = [
    { title: t.name, cell: (item) => <Name application={item} /> },
    ...(path === OWN ? [] : [user]),
    {
      title: t.access,
      isWide: true,
      cell: (item) => <span title={item.scopes?.join(', ')}>{describeAccess(item)}</span>,
    },
    { title: t.created, isWide: true, cell: ({ createdAt }) => <Day iso={createdAt} /> },
    {
      title: t.lastUsed,
      line: 'titled',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.never : <When iso={lastUsedAt} />),
    },
    { title: t.expires, isWide: true, cell: ({ expiresAt }) => <Day iso={expiresAt} /> },
    {
      title: t.actions,
      isActions: true,
      cell: (item) => (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={t.revokeOf(item.name)}
          onClick={() => {
            setRevoking(item);
          }}
        >
          {t.revoke}
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable label={t.label} columns={columns} items={applications} idOf={({ id }) => id} />
      {revoking && (
        <Confirm
          title={t.revokeTitle(revoking.name)}
          message={t.revokeHint}
          submitLabel={t.revoke}
          onClose={() => {
            setRevoking(undefined);
          }}
          onConfirm={async () => {
            await request('DELETE', `${path}/${revoking.id}`);
            await reloadApplications();
          }}
        />
      )}
    </>
  );
}

function Name({ application }: { readonly application: Application }): ReactNode {
  const { name, documentHost: host } = application;
  return (
    <Group gap="xs">
      {name}
      <Badge variant="light" size="sm" color="gray" tt="none">
        {host === null ? t.registered : t.describedAt(host)}
      </Badge>
    </Group>
  );
}
