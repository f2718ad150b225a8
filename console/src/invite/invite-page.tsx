import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import type { Invite } from '../api/types';
import { Loading } from '../common/loading';
import { Parts } from '../common/parts';
import { Problem } from '../common/problem';
import { formatDateAndTime } from '../common/time';
import { Page } from '../shell/page';
import { signInText } from '../text/sign-in-text';
import { InviteForm } from './invite-form';

/** Page of a one-time link. */
export default function InvitePage(): ReactNode {
  const { token = '' } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['invite', token],
    queryFn: async ({ signal }) =>
      (await request<Invite>('GET', `/invites/${encodeURIComponent(token)}`, { signal })).data,
    // The form itself invalidates the link.
    staleTime: Infinity,
  });
  if (data) return <Invited invite={data} token={token} />;
  if (!error) return <Loading />;
  return (
    <Page title={signInText.invite.set} isNarrow>
      {isApiError(error, 'not_found') ? (
        <Text>
          <Parts
            of={signInText.invite.invalid((label) => (
              <Anchor component={Link} to="/sign-in" underline="always">
                {label}
              </Anchor>
            ))}
          />
        </Text>
      ) : (
        <Problem error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Invited({ invite, token }: { invite: Invite; token: string }): ReactNode {
  const t = signInText.invite;
  const { accountName, email, kind, expiresAt } = invite;
  return (
    <Page title={kind === 'invite' ? t.welcome(accountName) : t.setNew} isNarrow>
      <Text mb="md">{t.hint(email, formatDateAndTime(expiresAt))}</Text>
      <InviteForm email={email} token={token} />
    </Page>
  );
}
