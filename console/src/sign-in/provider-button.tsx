import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { signInText } from '../text/sign-in-text';
import { rememberedProvider } from './provider-query';

/** Leads to the provider that this browser has used last. */
export function ProviderButton(): ReactNode {
  const [provider] = useState(rememberedProvider);
  // The page to return to.
  const state: unknown = useLocation().state;
  if (!provider) return null;
  return (
    <Button
      component={Link}
      to={`/sign-in/${provider.id}`}
      state={state}
      variant="default"
      fullWidth
    >
      {signInText.provider.by(provider.name)}
    </Button>
  );
}
