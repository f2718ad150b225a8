import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import type { Invite } from '../api/types';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { formatDateAndTime } from '../common/time';
import { Page } from '../shell/page';
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
    <Page title="Set a password" isNarrow>
      {isApiError(error, 'not_found') ? (
        <Text>
          This link is not valid: it was used, has expired, or was replaced by a newer one. Ask its
          sender for a new one, or{' '}
          <Anchor component={Link} to="/sign-in" underline="always">
            sign in
          </Anchor>
          .
        </Text>
      ) : (
        <Problem error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Invited({ invite, token }: { invite: Invite; token: string }): ReactNode {
  const { accountName, email, kind, expiresAt } = invite;
  return (
    <Page title={kind === 'invite' ? `Welcome to ${accountName}` : 'Set a new password'} isNarrow>
      <Text mb="md">
        Choose the password that {email} signs in with. The link works once, until{' '}
        {formatDateAndTime(expiresAt)}.
      </Text>
      <InviteForm email={email} token={token} />
    </Page>
  );
}
