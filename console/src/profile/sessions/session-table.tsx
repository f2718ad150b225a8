import { Badge, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SessionRecord } from '../../api/types';
import { DataTable, type TableColumn } from '../../common/data-table';
import { When } from '../../common/when';
import { profileText } from '../../text/profile-text';
import { nameOfBrowser } from './browser-name';

const t = profileText.sessions;

export interface SessionTableProps {
  readonly sessions: readonly SessionRecord[];
  readonly onEnd: (session: SessionRecord) => void;
}

/** The active sessions of the user as a table. */
export function SessionTable({ sessions, onEnd }: SessionTableProps): ReactNode {
  const columns: readonly TableColumn<SessionRecord>[] = [
    {
      title: t.device,
      cell: ({ userAgent, isCurrent }) => (
        <Group gap="xs">
          <Text span inherit fw={550}>
            {nameOfBrowser(userAgent)}
          </Text>
          {isCurrent && (
            <Badge variant="light" size="sm">
              {t.current}
            </Badge>
          )}
        </Group>
      ),
    },
    { title: t.address, isWide: true, cell: ({ address }) => address ?? t.unknownAddress },
    { title: t.lastActive, isTime: true, cell: ({ lastUsedAt }) => <When iso={lastUsedAt} /> },
    { title: t.signedIn, isWide: true, cell: ({ createdAt }) => <When iso={createdAt} /> },
    {
      title: t.actions,
      isActions: true,
      // The menu of the user signs out of the current session.
      cell: (session) =>
        !session.isCurrent && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={t.signOutOf(
              nameOfBrowser(session.userAgent),
              session.address ?? t.unknownAddress,
            )}
            onClick={() => {
              onEnd(session);
            }}
          >
            {t.signOut}
          </Button>
        ),
    },
  ];
  return <DataTable label={t.label} columns={columns} items={sessions} idOf={({ id }) => id} />;
}
