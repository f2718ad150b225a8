import { Button, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { request } from '../api/client';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { queryClient } from '../query-client';
import { factorsQuery, hasFactor } from '../session/factors-query';
import { ProofDialog, type Proof } from '../session/proof-dialog';
import { securityText } from '../text/security-text';

/** How the users of the account sign in. */
interface Security {
  readonly requiresSecondFactor: boolean;
  readonly requiresProvider: boolean;
  /** The only user who may sign in without a provider; `null` if all may. */
  readonly exemptUser: { readonly id: string; readonly email: string } | null;
}

const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: async ({ signal }) => (await request<Security>('GET', '/security', { signal })).data,
});

interface RuleTexts {
  readonly title: string;
  /** What an owner without a second factor must do first. */
  readonly own: string;
  readonly require: string;
  readonly requireTitle: string;
  readonly allow: string;
  readonly allowTitle: string;
  readonly allowHint: string;
}

export interface RuleProps {
  readonly property: 'requiresSecondFactor' | 'requiresProvider';
  readonly texts: RuleTexts;
  readonly describe: (security: Security) => string;
  readonly requireHint: string;
}

/** A rule for all users of the account. Only an owner who has a second factor can change it. */
export function Rule({ property, texts: t, describe, requireHint }: RuleProps): ReactNode {
  const security = useQuery(securityQuery);
  const factors = useQuery(factorsQuery);
  const [isAsking, setIsAsking] = useState(false);
  const failed = [security, factors].find(({ data, error }) => error && !data);
  if (failed) return <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!security.data || !factors.data) return <Loading />;
  const isRequired = security.data[property];
  const close = (): void => {
    setIsAsking(false);
  };
  const change = async (proof: Proof): Promise<void> => {
    const body = { [property]: !isRequired, ...proof };
    const { data } = await request<Security>('PUT', '/security', { body });
    queryClient.setQueryData(securityQuery.queryKey, data);
    close();
  };
  return (
    <section aria-labelledby={property}>
      <Title order={2} size="h4" mt="xl" id={property}>
        {t.title}
      </Title>
      <Text my="md">{describe(security.data)}</Text>
      {hasFactor(factors.data) ? (
        <Button
          variant="default"
          onClick={() => {
            setIsAsking(true);
          }}
        >
          {isRequired ? t.allow : t.require}
        </Button>
      ) : (
        <>
          <Text mb="md">{t.own}</Text>
          <Button component={Link} to="/profile/second-factor" variant="default">
            {securityText.setUp}
          </Button>
        </>
      )}
      {isAsking && (
        <ProofDialog
          title={isRequired ? t.allowTitle : t.requireTitle}
          hint={isRequired ? t.allowHint : requireHint}
          submitLabel={isRequired ? t.allow : t.require}
          isDangerous={isRequired}
          onConfirm={change}
          onClose={close}
        />
      )}
    </section>
  );
}
