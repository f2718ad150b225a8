import { Alert, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { request } from '../api/client';
import { formErrors } from '../common/field-errors';
import { signInText } from '../text/sign-in-text';
import { keepReturn, type KnownProvider } from './provider-query';

/** Opens the page of a provider, and says where it is. */
export function ProviderButton({ provider }: { readonly provider: KnownProvider }): ReactNode {
  const { id, name, host } = provider;
  const { state } = useLocation() as { state: { from?: string } | null };
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: async () => {
      const path = `/providers/${encodeURIComponent(id)}/sign-in`;
      const options = { isSessionQuiet: true };
      return (await request<{ readonly url: string }>('POST', path, options)).data.url;
    },
    onSuccess: (url) => {
      keepReturn(state?.from);
      window.location.assign(url);
    },
  });
  const problem = formErrors(error, []).rest;
  return (
    <>
      <Button
        variant="default"
        fullWidth
        loading={isPending || isSuccess}
        onClick={() => {
          mutate();
        }}
      >
        {signInText.provider.by(name)}
      </Button>
      <Text size="sm" c="dimmed" mt={4}>
        {signInText.provider.at(host)}
      </Text>
      {problem && (
        <Alert color="red" role="alert" mt="xs">
          {problem}
        </Alert>
      )}
    </>
  );
}
