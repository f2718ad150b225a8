import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AccountApplications } from '../applications/account-applications';
import { mayManageUsers } from '../session/role';
import { useSession } from '../session/session-context';
import { usersQuery } from '../session/users-query';
import { Page } from '../shell/page';
import { securityText } from '../text/security-text';
import { DirectoryGroups } from './directory-groups';
import { Providers } from './providers';
import { providersQuery } from './providers-query';
import { Rule } from './rule';
import { ScimTokens } from './scim-tokens';

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
      <ProviderRule />
      <ScimTokens />
      <DirectoryGroups />
      <AccountApplications />
    </Page>
  );
}

/** Whether all users need a second factor. */
function SecondFactorRule(): ReactNode {
  const t = securityText.factor;
  const { data: users } = useQuery(usersQuery);
  const lacking = users?.filter(
    ({ hasPassword, hasSecondFactor, suspended }) => hasPassword && !hasSecondFactor && !suspended,
  );
  return (
    <Rule
      property="requiresSecondFactor"
      texts={t}
      describe={({ requiresSecondFactor }) =>
        `${requiresSecondFactor ? t.isOn : t.isOff} ${t.hint}`
      }
      requireHint={t.requireHint(lacking?.length)}
    />
  );
}

/** Whether users sign in only by a provider. Shown once there is one. */
function ProviderRule(): ReactNode {
  const t = securityText.providerRule;
  const { data: providers = [] } = useQuery(providersQuery);
  if (providers.length === 0) return null;
  return (
    <Rule
      property="requiresProvider"
      texts={t}
      describe={({ exemptUser }) => (exemptUser ? t.isOn(exemptUser.email) : t.isOff)}
      requireHint={t.requireHint}
    />
  );
}
