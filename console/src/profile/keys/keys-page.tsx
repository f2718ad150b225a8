import { Alert, Anchor, Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { ApiKey } from '../../api/types';
import { Loading } from '../../common/loading';
import { EmptyState } from '../../common/empty-state';
import { Problem } from '../../common/problem';
import { quoted } from '../../text/words';
import { Page } from '../../shell/page';
import { profileText } from '../../text/profile-text';
import { text } from '../../text/text';
import { ProfileNav } from '../profile-nav';
import { isExpiringSoon } from './key-badges';
import { KeyTable, type KeyActions } from './key-table';
import { KeyUsage } from './key-usage';
import './keys.css';
import { keysQuery, OWN_KEYS } from '../../session/keys-query';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';

const CreateKeyDialog = lazy(() => import('./create-key-dialog'));

const t = profileText.keys;

type Task = { readonly kind: 'create' } | { readonly kind: 'revoke' | 'rotate'; key: ApiKey };

export function KeysPage(): ReactNode {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const [task, setTask] = useState<Task>();
  const close = (): void => {
    setTask(undefined);
  };
  const expiring = keys?.filter((key) => isExpiringSoon(key));
  const create = (
    <Button
      onClick={() => {
        setTask({ kind: 'create' });
      }}
    >
      {t.create}
    </Button>
  );
  return (
    <Page
      title={t.title}
      above={<ProfileNav />}
      intro={
        <>
          {t.intro.start}
          <Anchor href="/docs" inherit underline="always">
            {t.intro.docs}
          </Anchor>
          {t.intro.end}
        </>
      }
      actions={keys?.some(({ state }) => state === 'active') !== false && create}
    >
      {expiring !== undefined && expiring.length > 0 && (
        <Alert color="yellow" mb="md" title={t.expireSoon}>
          {t.expireSoonHint(expiring.map(({ name }) => quoted(name)))}
        </Alert>
      )}
      {!keys && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!keys && !error && <Loading />}
      {keys && <KeyLists keys={keys} create={create} onTask={setTask} />}
      {task?.kind === 'create' && (
        <Suspense>
          <CreateKeyDialog onClose={close} />
        </Suspense>
      )}
      {task?.kind === 'revoke' && (
        <RevokeKeyDialog apiKey={task.key} path={OWN_KEYS} onClose={close} />
      )}
      {task?.kind === 'rotate' && (
        <RotateKeyDialog apiKey={task.key} path={OWN_KEYS} onClose={close} />
      )}
    </Page>
  );
}

interface KeyListsProps {
  readonly keys: readonly ApiKey[];
  readonly create: ReactNode;
  readonly onTask: (task: Task) => void;
}

function KeyLists({ keys, create, onTask }: KeyListsProps): ReactNode {
  const [chosen, setChosen] = useState<string>();
  const active = keys.filter(({ state }) => state === 'active');
  const gone = keys.filter(({ state }) => state !== 'active');
  const shown = keys.find(({ id }) => id === chosen) ?? active[0];
  const actions: KeyActions = {
    onUsage: ({ id }) => {
      setChosen(id);
    },
    onRotate: (key) => {
      onTask({ kind: 'rotate', key });
    },
    onRevoke: (key) => {
      onTask({ kind: 'revoke', key });
    },
  };
  return (
    <>
      {active.length > 0 ? (
        <KeyTable label={t.active} keys={active} {...actions} />
      ) : (
        <EmptyState title={t.none} action={create}>
          {t.noneHint}
        </EmptyState>
      )}
      {shown && (
        <section aria-labelledby="key-chart" className="key-chart">
          <Title order={2} size="h4" mb="md" id="key-chart">
            {profileText.usage.title(quoted(shown.name))}
          </Title>
          <KeyUsage key={shown.id} apiKey={shown} />
          <Anchor component={Link} to={`/requests?key=${shown.id}`} size="sm" underline="always">
            {text.requests.showRequests}
          </Anchor>
        </section>
      )}
      {gone.length > 0 && (
        <section aria-labelledby="keys-gone" className="key-chart">
          <Title order={2} size="h4" mb="sm" id="keys-gone">
            {t.gone}
          </Title>
          <KeyTable label={t.goneLabel} keys={gone} {...actions} />
        </section>
      )}
    </>
  );
}
