import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import type { SessionRecord } from '../../api/types';
import { Confirm } from '../../common/confirm';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { Page } from '../../shell/page';
import { profileText } from '../../text/profile-text';
import { ProfileNav } from '../profile-nav';
import { nameOfBrowser } from './browser-name';
import { SessionTable } from './session-table';
import { reloadSessions, sessionsQuery } from './sessions-query';

const t = profileText.sessions;

export function SessionsPage(): ReactNode {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<SessionRecord>();
  return (
    <Page title={t.title} above={<ProfileNav />} intro={t.hint}>
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <SessionTable sessions={data} onEnd={setEnding} />}
      {ending && (
        <Confirm
          title={t.confirm}
          message={t.confirmHint(nameOfBrowser(ending.userAgent))}
          submitLabel={t.signOut}
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
