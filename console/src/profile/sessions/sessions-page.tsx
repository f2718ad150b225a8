import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import type { SessionRecord } from '../../api/types';
import { Confirm } from '../../common/confirm';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { Page } from '../../shell/page';
import { ProfileNav } from '../profile-nav';
import { nameOfBrowser } from './browser-name';
import { reloadSessions, sessionsQuery } from './sessions-query';

export function SessionsPage(): ReactNode {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<SessionRecord>();
  return (
    <Page title="Sessions" above={<ProfileNav />}>
      <Text mb="lg" maw="36rem">
        Your active sessions. End sessions that you do not recognize, and change your password.
      </Text>
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      <Stack component="ul" className="plain-list" gap="sm">
        {data?.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            onEnd={() => {
              setEnding(session);
            }}
          />
        ))}
      </Stack>
      {ending && (
        <Confirm
          title="End this session?"
          message={`${nameOfBrowser(ending.userAgent)} will have to sign in again.`}
          submitLabel="End the session"
          onClose={() => {
            setEnding(undefined);
          }}
          onConfirm={async () => {
            await request('DELETE', `/sessions/${ending.id}`);
            await reloadSessions();
          }}
        />
      )}
    </Page>
  );
}

interface SessionItemProps {
  readonly session: SessionRecord;
  readonly onEnd: () => void;
}

function SessionItem({ session, onEnd }: SessionItemProps): ReactNode {
  const name = nameOfBrowser(session.userAgent);
  return (
    <Paper component="li" withBorder p="md">
      <Group justify="space-between">
        <div>
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            {session.isCurrent && <Badge variant="default">Current session</Badge>}
          </Group>
          <Text size="sm" c="dimmed">
            {session.address ?? 'Unknown address'}, last used <When iso={session.lastUsedAt} />,
            signed in <When iso={session.createdAt} />
          </Text>
        </div>
        {!session.isCurrent && (
          <Button
            variant="default"
            size="xs"
            onClick={onEnd}
            aria-label={`End the session of ${name}`}
          >
            End
          </Button>
        )}
      </Group>
    </Paper>
  );
}
