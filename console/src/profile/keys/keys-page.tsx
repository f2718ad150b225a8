import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { ApiKey } from '../../api/types';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { Page } from '../../shell/page';
import { ProfileNav } from '../profile-nav';
import { CreateKeyDialog } from './create-key-dialog';
import { KeyItem } from './key-item';
import { keysQuery } from './keys-query';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';

type Task = { readonly kind: 'create' } | { readonly kind: 'revoke' | 'rotate'; key: ApiKey };

export function KeysPage(): ReactNode {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const [task, setTask] = useState<Task>();
  const close = (): void => {
    setTask(undefined);
  };
  const create = (
    <Button
      onClick={() => {
        setTask({ kind: 'create' });
      }}
    >
      New key
    </Button>
  );
  return (
    <Page title="API keys" above={<ProfileNav />} actions={create}>
      <Alert mb="lg" color="yellow" title="A key belongs on a server">
        Anybody with a key can do everything that you can. Keep it in the settings of a server:
        never in a web page, an app or a repository. The API is described at{' '}
        <Anchor href="/docs" inherit underline="always" c="inherit">
          /docs
        </Anchor>
        .
      </Alert>
      {!keys && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!keys && !error && <Loading />}
      {keys && <KeyLists keys={keys} onTask={setTask} />}
      {task?.kind === 'create' && <CreateKeyDialog onClose={close} />}
      {task?.kind === 'revoke' && <RevokeKeyDialog apiKey={task.key} onClose={close} />}
      {task?.kind === 'rotate' && <RotateKeyDialog apiKey={task.key} onClose={close} />}
    </Page>
  );
}

interface KeyListsProps {
  readonly keys: readonly ApiKey[];
  readonly onTask: (task: Task) => void;
}

function KeyLists({ keys, onTask }: KeyListsProps): ReactNode {
  const active = keys.filter(({ state }) => state === 'active');
  const gone = keys.filter(({ state }) => state !== 'active');
  const list = (some: readonly ApiKey[], level: 2 | 3): ReactNode => (
    <Stack component="ul" className="plain-list" gap="sm">
      {some.map((key) => (
        <KeyItem
          key={key.id}
          apiKey={key}
          level={level}
          onRevoke={() => {
            onTask({ kind: 'revoke', key });
          }}
          onRotate={() => {
            onTask({ kind: 'rotate', key });
          }}
        />
      ))}
    </Stack>
  );
  return (
    <Stack gap="xl">
      {active.length ? (
        list(active, 2)
      ) : (
        <Text>You have no active key. Create one to call the API.</Text>
      )}
      {gone.length > 0 && (
        <section aria-labelledby="keys-gone">
          <Title order={2} size="h4" mb="sm" id="keys-gone">
            No longer valid
          </Title>
          {list(gone, 3)}
        </section>
      )}
    </Stack>
  );
}
