import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Page } from './page';

export default function NotFoundPage(): ReactNode {
  return (
    <Page title="There is no such page">
      <Text>
        The address may be misspelt, or what stood there is gone.{' '}
        <Anchor component={Link} to="/" underline="always">
          Go to the workspaces
        </Anchor>
        .
      </Text>
    </Page>
  );
}
