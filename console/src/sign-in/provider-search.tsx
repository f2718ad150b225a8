import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';
import { ProviderButton } from './provider-button';
import { forgetProvider, rememberedProvider, type KnownProvider } from './provider-query';

const t = signInText.provider;

export interface ProviderSearchProps {
  /** Email address that the form begins with. */
  readonly email: string;
  readonly onBack: () => void;
}

/** Finds the providers that a person can sign in by, who knows only an email address. */
export function ProviderSearch({ email: typed, onBack }: ProviderSearchProps): ReactNode {
  const [email, setEmail] = useState(typed);
  const { mutate, reset, data, isPending, error } = useMutation({
    mutationFn: async () => {
      const options = { body: { email: email.trim() }, isSessionQuiet: true };
      return (await request<readonly KnownProvider[]>('POST', '/providers/search', options)).data;
    },
  });
  const { fields, rest } = formErrors(error, ['email']);
  return (
    <>
      <Text mb="md">{t.searchHint}</Text>
      <Form
        submitLabel={t.search}
        isWide
        isPending={isPending}
        error={error}
        problem={rest}
        onSubmit={() => {
          mutate();
        }}
      >
        <TextInput
          label={signInText.email}
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          value={email}
          error={fields.email}
          onChange={(event) => {
            reset();
            setEmail(event.currentTarget.value);
          }}
        />
      </Form>
      <div role="status">
        {data?.length === 0 && <Text mt="md">{t.none}</Text>}
        {data && data.length > 0 && (
          <Stack mt="md">
            {data.map((provider) => (
              <div key={provider.id}>
                <ProviderButton provider={provider} />
              </div>
            ))}
          </Stack>
        )}
      </div>
      <Button variant="subtle" fullWidth mt="md" onClick={onBack}>
        {text.actions.back}
      </Button>
    </>
  );
}

/** Offers the provider that this browser has used last, and the search for another one. */
export function ProviderChoice({ onSearch }: { readonly onSearch: () => void }): ReactNode {
  const [provider, setProvider] = useState(rememberedProvider);
  if (!provider) {
    return (
      <Button variant="default" fullWidth onClick={onSearch}>
        {t.find}
      </Button>
    );
  }
  return (
    <>
      <ProviderButton provider={provider} />
      <Button
        variant="subtle"
        fullWidth
        mt="xs"
        onClick={() => {
          forgetProvider();
          setProvider(undefined);
          onSearch();
        }}
      >
        {t.findOther}
      </Button>
    </>
  );
}
