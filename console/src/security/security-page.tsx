import { Alert, Button, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { request } from '../api/client';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { ConfirmDialog, type Proof } from '../profile/second-factor/confirm-dialog';
import { factorsQuery } from '../profile/second-factor/factor-query';
import { queryClient } from '../query-client';
import { mayManageUsers } from '../session/role';
import { useSession } from '../session/session-context';
import { usersQuery } from '../session/users-query';
import { Page } from '../shell/page';
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
    </Page>
  );
}

/** Whether all users need a second factor. Only an owner who has one can change that. */
function SecondFactorRule(): ReactNode {
  const { data: security, error, refetch } = useQuery(securityQuery);
  const { data: factors } = useQuery(factorsQuery);
  const [isAsking, setIsAsking] = useState(false);
  if (!security || !factors)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  const { requiresSecondFactor: isRequired } = security;
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
      {factors.totp ? (
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
  const { data: users = [] } = useQuery(usersQuery);
  const lacking = users.filter(
    ({ hasPassword, hasSecondFactor, isService }) => hasPassword && !hasSecondFactor && !isService,
  );
  const change = async (proof: Proof): Promise<void> => {
    const body = { requiresSecondFactor: !isRequired, ...proof };
    const { data } = await request<Security>('PUT', '/security', { body });
    queryClient.setQueryData(securityQuery.queryKey, data);
    onClose();
  };
  return (
    <ConfirmDialog
      title={isRequired ? t.allowTitle : t.requireTitle}
      hint={isRequired ? t.allowHint : t.requireHint(lacking.length)}
      submitLabel={isRequired ? t.allow : t.require}
      isDangerous={isRequired}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
