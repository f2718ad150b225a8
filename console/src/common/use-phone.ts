import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen is as narrow as that of a phone. The style sheets use the same width. */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
}
