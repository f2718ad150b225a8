import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { request } from '../api/client';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { Page } from '../shell/page';
import { signInText } from '../text/sign-in-text';
import { providerQuery, rememberProvider, rememberReturn } from './provider-query';

const t = signInText.provider;

/** Signs in by a provider, whose page the browser opens. */
export default function ProviderPage(): ReactNode {
  const { providerId = '' } = useParams();
  const { state } = useLocation() as { state: { from?: string } | null };
  const { data, error, refetch } = useQuery(providerQuery(providerId));
  const begin = useMutation({
    mutationFn: async () => {
      const options = { isSessionQuiet: true };
      const path = `/providers/${providerId}/sign-in`;
      return (await request<{ readonly url: string }>('POST', path, options)).data.url;
    },
    onSuccess: (url) => {
      if (data) rememberProvider({ id: providerId, name: data.name });
      rememberReturn(state?.from ?? '/');
      window.location.assign(url);
    },
  });
  return (
    <Page title={signInText.title} isNarrow>
      {!data && !error && <Loading />}
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <Form
          submitLabel={t.by(data.name)}
          isWide
          isPending={begin.isPending || begin.isSuccess}
          error={begin.error}
          problem={formErrors(begin.error, []).rest}
          onSubmit={() => {
            begin.mutate();
          }}
        />
      )}
      <Text mt="md">
        <Button component={Link} to="/sign-in" variant="subtle" fullWidth>
          {t.otherWay}
        </Button>
      </Text>
    </Page>
  );
}
