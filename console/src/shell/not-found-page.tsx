import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { text } from '../text/text';
import { Logo } from './logo';
import { Page } from './page';

/** Page for an unknown address. */
export default function NotFoundPage(): ReactNode {
  return (
    <Page title={text.notFound.title} above={<Logo size={48} />} isNarrow>
      <Text mb="lg">{text.notFound.hint}</Text>
      <Group>
        <Button component={Link} to="/">
          {text.notFound.back}
        </Button>
        <Button component="a" href="/docs" variant="default">
          {text.notFound.docs}
        </Button>
      </Group>
    </Page>
  );
}
