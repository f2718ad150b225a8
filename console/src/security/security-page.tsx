import { Alert, Button, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { AccountApplications } from '../applications/account-applications';
import { request } from '../api/client';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { queryClient } from '../query-client';
import { factorsQuery, hasFactor } from '../session/factors-query';
import { ProofDialog, type Proof } from '../session/proof-dialog';
import { mayManageUsers } from '../session/role';
import { useSession } from '../session/session-context';
import { usersQuery } from '../session/users-query';
import { Page } from '../shell/page';
import { Providers } from './providers';
import { securityText } from '../text/security-text';

const t = securityText.factor;

interface Security {
  readonly requiresSecondFactor: boolean;
}

const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: async ({ signal }) => (await request<Security>('GET', '/security', { signal })).data,
});

export default function SecurityPage(): ReactNode {
  const { user } = useSession();
  if (!mayManageUsers(user.role)) {
    return (
      <Page title={securityText.title}>
        <Alert color="yellow">{securityText.forbidden}</Alert>
      </Page>
    );
  }
  return (
    <Page title={securityText.title} intro={securityText.intro}>
      <SecondFactorRule />
      <Providers />
      <AccountApplications />
    </Page>
  );
}

/** Whether all users need a second factor. Only an owner who has one can change that. */
function SecondFactorRule(): ReactNode {
  const security = useQuery(securityQuery);
  const factors = useQuery(factorsQuery);
  const [isAsking, setIsAsking] = useState(false);
  const failed = [security, factors].find(({ data, error }) => error && !data);
  if (failed) return <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!security.data || !factors.data) return <Loading />;
  const { requiresSecondFactor: isRequired } = security.data;
  const close = (): void => {
    setIsAsking(false);
  };
  return (
    <section aria-labelledby="second-factor">
      <Title order={2} size="h4" id="second-factor">
        {t.title}
      </Title>
      <Text my="md">
        {isRequired ? t.isOn : t.isOff} {t.hint}
      </Text>
      {hasFactor(factors.data) ? (
        <Button
          variant={isRequired ? 'default' : 'filled'}
          onClick={() => {
            setIsAsking(true);
          }}
        >
          {isRequired ? t.allow : t.require}
        </Button>
      ) : (
        <>
          <Text mb="md">{t.own}</Text>
          <Button component={Link} to="/profile/second-factor">
            {t.setUp}
          </Button>
        </>
      )}
      {isAsking && <ChangeDialog isRequired={isRequired} onClose={close} />}
    </section>
  );
}

interface ChangeDialogProps {
  readonly isRequired: boolean;
  readonly onClose: () => void;
}

function ChangeDialog({ isRequired, onClose }: ChangeDialogProps): ReactNode {
  const { data: users } = useQuery(usersQuery);
  const lacking = users?.filter(
    ({ hasPassword, hasSecondFactor, suspended }) => hasPassword && !hasSecondFactor && !suspended,
  );
  const change = async (proof: Proof): Promise<void> => {
    const body = { requiresSecondFactor: !isRequired, ...proof };
    const { data } = await request<Security>('PUT', '/security', { body });
    queryClient.setQueryData(securityQuery.queryKey, data);
    onClose();
  };
  return (
    <ProofDialog
      title={isRequired ? t.allowTitle : t.requireTitle}
      hint={isRequired ? t.allowHint : t.requireHint(lacking?.length)}
      submitLabel={isRequired ? t.allow : t.require}
      isDangerous={isRequired}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
