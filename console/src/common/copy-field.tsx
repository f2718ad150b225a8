import { Code, Group, Stack, Text } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { CopyButton } from './copy-button';

export interface CopyFieldProps {
  readonly label: string;
  readonly text: string;
  readonly copyLabel: string;
}

/** Shows a text with a copy button, such as a key or a shell command. */
export function CopyField({ label, text, copyLabel }: CopyFieldProps): ReactNode {
  const id = useId();
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="flex-end">
        <Text size="sm" fw={500} id={id}>
          {label}
        </Text>
        <CopyButton text={text} label={copyLabel} />
      </Group>
      <Code block className="copy-field" aria-labelledby={id} tabIndex={0} role="group">
        {text}
      </Code>
    </Stack>
  );
}
