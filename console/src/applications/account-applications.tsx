import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { applicationsText } from '../text/applications-text';
import { ApplicationList } from './application-list';
import { applicationsQuery, OF_ACCOUNT } from './applications-query';

const t = applicationsText;

/** The applications that all users of the account have given access, for its owners. */
export function AccountApplications(): ReactNode {
  const { data, error, refetch } = useQuery(applicationsQuery(OF_ACCOUNT));
  return (
    <section aria-labelledby="applications">
      <Title order={2} size="h4" mt="xl" id="applications">
        {t.ofAccount.title}
      </Title>
      <Text my="md">{t.ofAccount.hint}</Text>
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Text c="dimmed">{t.ofAccount.none}</Text>}
      {data && data.length > 0 && <ApplicationList applications={data} path={OF_ACCOUNT} />}
    </section>
  );
}
