import { Pagination, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { applicationsText } from '../text/applications-text';
import { ApplicationList } from './application-list';
import { accountApplicationsQuery, OF_ACCOUNT } from './applications-query';

const t = applicationsText;

/** The applications that all users of the account have given access, for its owners. */
export function AccountApplications(): ReactNode {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(accountApplicationsQuery(page));
  return (
    <section aria-labelledby="applications">
      <Title order={2} size="h4" mt="xl" id="applications">
        {t.ofAccount.title}
      </Title>
      <Text my="md">{t.ofAccount.hint}</Text>
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.items.length === 0 && <Text c="dimmed">{t.ofAccount.none}</Text>}
      {data && data.items.length > 0 && (
        <ApplicationList applications={data.items} path={OF_ACCOUNT} />
      )}
      {data && data.pages > 1 && (
        <Pagination mt="md" total={data.pages} value={data.page} onChange={setPage} />
      )}
    </section>
  );
}
