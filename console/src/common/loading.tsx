import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';

export function Loading(): ReactNode {
  return (
    <Center p="xl" role="status" aria-label="Loading">
      <Loader />
    </Center>
  );
}
