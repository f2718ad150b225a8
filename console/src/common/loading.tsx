import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/text';

export function Loading(): ReactNode {
  return (
    <Center p="xl" role="status" aria-label={text.frame.loading}>
      <Loader />
    </Center>
  );
}
