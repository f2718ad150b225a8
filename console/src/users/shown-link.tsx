import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InviteLink } from '../api/types';
import { CopyField } from '../common/copy-field';
import { Dialog } from '../common/dialog';
import { formatDateAndTime } from '../common/time';

export interface ShownLinkProps {
  readonly email: string;
  readonly link: InviteLink;
  readonly onClose: () => void;
}

/** Shows a one-time link for the owner to send, because the service sends no email. */
export function ShownLink({ email, link, onClose }: ShownLinkProps): ReactNode {
  return (
    <Dialog title={`A link for ${email}`} isOpen isFirm onClose={onClose}>
      <Stack>
        <Text>
          Send it to {email} by a way that only they read. It sets their password once, until{' '}
          {formatDateAndTime(link.expiresAt)}. It is not shown again, and a newer one ends it.
        </Text>
        <CopyField label="One-time link" text={link.url} copyLabel="Copy link" />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
