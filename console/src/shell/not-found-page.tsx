import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Page } from './page';

export default function NotFoundPage(): ReactNode {
  return (
    <Page title="Page not found">
      <Text>
        The address may be misspelled, or the page no longer exists.{' '}
        <Anchor component={Link} to="/" underline="always">
          Go to the workspaces
        </Anchor>
        .
      </Text>
    </Page>
  );
}
