import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState } from '../common/empty-state';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { ProfileNav } from '../profile/profile-nav';
import { Page } from '../shell/page';
import { applicationsText } from '../text/applications-text';
import { ApplicationList } from './application-list';
import { OWN, ownApplicationsQuery } from './applications-query';

const t = applicationsText;

/** The applications that the user has given access. */
export default function ApplicationsPage(): ReactNode {
  const { data, error, refetch } = useQuery(ownApplicationsQuery);
  return (
    <Page title={t.title} above={<ProfileNav />} intro={t.hint}>
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <EmptyState title={t.none}>{t.noneHint}</EmptyState>}
      {data && data.length > 0 && <ApplicationList applications={data} path={OWN} />}
    </Page>
  );
}
