import { Badge, Code, Group, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ApiKey } from '../../api/types';
import { DataTable, type TableColumn } from '../../common/data-table';
import { Day, When } from '../../common/when';
import { DANGER, ItemMenu } from '../../list/item-menu';
import { profileText } from '../../text/profile-text';
import { text } from '../../text/text';
import { describeAccess } from './access';
import { badgesOf } from './key-badges';

const t = profileText.keys;

export interface KeyActions {
  /** Absent for the keys of a service account: only users see how their own keys are used. */
  readonly onUsage?: (key: ApiKey) => void;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

export interface KeyTableProps extends KeyActions {
  readonly label: string;
  readonly keys: readonly ApiKey[];
}

/** API keys as a table. */
export function KeyTable({ label, keys, ...actions }: KeyTableProps): ReactNode {
  const columns: readonly TableColumn<ApiKey>[] = [
    {
      title: t.name,
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
      title: t.key,
      line: 'plain',
      cell: ({ prefix, lastFour }) => (
        <Code>
          {prefix}…{lastFour}
        </Code>
      ),
    },
    {
      title: t.access,
      isWide: true,
      cell: (key) => <span title={key.scopes?.join(', ')}>{describeAccess(key)}</span>,
    },
    { title: t.created, isWide: true, cell: ({ createdAt }) => <Day iso={createdAt} /> },
    {
      title: t.lastUsed,
      isWide: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.neverUsed : <When iso={lastUsedAt} />),
    },
    { title: t.expires, line: 'titled', cell: endOf },
    {
      title: t.actions,
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
        {t.revoked.start}
        <When iso={revokedAt} />
        {t.revoked.end}
      </>
    );
  }
  return expiresAt === null ? t.neverExpires : <When iso={expiresAt} />;
}

interface ActionsProps extends KeyActions {
  readonly apiKey: ApiKey;
}

function Actions({ apiKey, onUsage, onRotate, onRevoke }: ActionsProps): ReactNode {
  const item = (label: string, onClick: (key: ApiKey) => void, isDangerous = false): ReactNode => (
    <Menu.Item
      {...(isDangerous && { c: DANGER })}
      onClick={() => {
        onClick(apiKey);
      }}
    >
      {label}
    </Menu.Item>
  );
  return (
    <ItemMenu label={text.lists.actionsFor(apiKey.name)}>
      {onUsage && item(profileText.usage.show, onUsage)}
      <Menu.Item component={Link} to={`/requests?key=${apiKey.id}`}>
        {text.requests.log}
      </Menu.Item>
      {apiKey.state === 'active' && (
        <>
          <Menu.Divider />
          {item(t.rotate, onRotate)}
          {item(t.revoke, onRevoke, true)}
        </>
      )}
    </ItemMenu>
  );
}
