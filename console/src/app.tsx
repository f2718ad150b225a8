import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useLayoutEffect, type ReactNode } from 'react';
import { BrowserRouter } from 'react-router';
import { CSP_NONCE } from './nonce';
import { queryClient } from './query-client';
import { AppRoutes } from './routes';
import { cssVariablesResolver, theme } from './theme/theme';

export function App(): ReactNode {
  // The skeleton of index.html.
  useLayoutEffect(() => document.getElementById('boot')?.remove(), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={() => CSP_NONCE}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <BrowserRouter>
          <AppRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
