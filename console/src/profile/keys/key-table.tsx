import { Badge, Button, Code, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ApiKey } from '../../api/types';
import { DataTable, type TableColumn } from '../../common/data-table';
import { Day, When } from '../../common/when';
import { labelOfRole } from '../../session/role';
import { useSession } from '../../session/session-context';
import { text } from '../../text/text';
import { badgesOf } from './key-badges';

export interface KeyActions {
  readonly onUsage: (key: ApiKey) => void;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

export interface KeyTableProps extends KeyActions {
  readonly label: string;
  readonly keys: readonly ApiKey[];
}

/** API keys as a table. A key has the role of its user. */
export function KeyTable({ label, keys, ...actions }: KeyTableProps): ReactNode {
  const { role } = useSession().user;
  const columns: readonly TableColumn<ApiKey>[] = [
    {
      title: 'Name',
      cell: (key) => (
        <Group gap="xs">
          <span className="key-name">{key.name}</span>
          {badgesOf(key).map((badge) => (
            <Badge key={badge.label} variant="light" size="sm" color={badge.color}>
              {badge.label}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      title: 'Key',
      isWide: true,
      cell: ({ prefix, lastFour }) => (
        <Code>
          {prefix}…{lastFour}
        </Code>
      ),
    },
    { title: 'Role', isWide: true, cell: () => labelOfRole(role) },
    { title: 'Created', isWide: true, cell: ({ createdAt }) => <Day iso={createdAt} /> },
    {
      title: 'Last used',
      isWide: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <When iso={lastUsedAt} />),
    },
    { title: 'Expires', isWide: true, cell: endOf },
    {
      title: 'Actions',
      isActions: true,
      cell: (key) => <Actions apiKey={key} {...actions} />,
    },
  ];
  return <DataTable label={label} columns={columns} items={keys} idOf={({ id }) => id} />;
}

function endOf({ expiresAt, revokedAt }: ApiKey): ReactNode {
  if (revokedAt !== null) {
    return (
      <>
        Revoked <When iso={revokedAt} />
      </>
    );
  }
  return expiresAt === null ? 'Never' : <When iso={expiresAt} />;
}

interface ActionsProps extends KeyActions {
  readonly apiKey: ApiKey;
}

function Actions({ apiKey, onUsage, onRotate, onRevoke }: ActionsProps): ReactNode {
  const action = (label: string, onClick: (key: ApiKey) => void): ReactNode => (
    <Button
      variant="subtle"
      size="compact-xs"
      aria-label={`${label} ${apiKey.name}`}
      onClick={() => {
        onClick(apiKey);
      }}
    >
      {label}
    </Button>
  );
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {action('Usage', onUsage)}
      <Button
        component={Link}
        to={`/requests?key=${apiKey.id}`}
        variant="subtle"
        size="compact-xs"
        className="is-wide"
        aria-label={text.requests.logOf(apiKey.name)}
      >
        {text.requests.log}
      </Button>
      {apiKey.state === 'active' && action('Rotate', onRotate)}
      {apiKey.state === 'active' && action('Revoke', onRevoke)}
    </Group>
  );
}
