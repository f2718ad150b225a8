import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatDate } from '../common/time';
import { Day } from '../common/when';
import { samlText } from '../text/saml-text';
import type { Provider } from './providers-query';

const t = samlText.expiry;

/** Time before the expiry from which on owners are warned. */
const WARNED_MS = 30 * 86_400_000;

/** When a provider can no longer sign, unless a certificate is entered: the last expiry. */
function lastExpiryOf({ certificates }: Provider): string | undefined {
  return certificates
    .map(({ expiresAt }) => expiresAt)
    .sort()
    .at(-1);
}

const msUntil = (iso: string): number => Date.parse(iso) - Date.now();

/** Warns of certificates that have expired or are about to. */
export function ExpiryWarnings(props: { readonly providers: readonly Provider[] }): ReactNode {
  const warned = props.providers.flatMap((provider) => {
    const iso = lastExpiryOf(provider);
    return iso !== undefined && msUntil(iso) < WARNED_MS ? [{ ...provider, iso }] : [];
  });
  if (warned.length === 0) return null;
  return (
    <Stack mb="md">
      {warned.map(({ id, name, iso }) => (
        <Alert key={id} color={msUntil(iso) > 0 ? 'yellow' : 'red'}>
          {msUntil(iso) > 0 ? t.soon(name, formatDate(iso)) : t.past(name)}
        </Alert>
      ))}
    </Stack>
  );
}

/** Shows the day on which the last certificate expires; nothing for an OpenID provider. */
export function Expiry({ provider }: { readonly provider: Provider }): ReactNode {
  const iso = lastExpiryOf(provider);
  if (iso === undefined) return null;
  return (
    <Text inherit fw={msUntil(iso) < WARNED_MS ? 600 : undefined}>
      <Day iso={iso} />
    </Text>
  );
}
