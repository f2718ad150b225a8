import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InviteLink } from '../api/types';
import { CopyField } from '../common/copy-field';
import { Dialog } from '../common/dialog';
import { formatDateAndTime } from '../common/time';
import { usersText } from '../text/users-text';

export interface ShownLinkProps {
  readonly email: string;
  readonly link: InviteLink;
  readonly onClose: () => void;
}

/** Shows a one-time link for the owner to send, because the service sends no email. */
export function ShownLink({ email, link, onClose }: ShownLinkProps): ReactNode {
  return (
    <Dialog title={usersText.link.title(email)} isOpen isFirm onClose={onClose}>
      <Stack>
        <Text>{usersText.link.send(email, formatDateAndTime(link.expiresAt))}</Text>
        <CopyField label={usersText.link.label} text={link.url} copyLabel={usersText.link.copy} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{usersText.link.copied}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
