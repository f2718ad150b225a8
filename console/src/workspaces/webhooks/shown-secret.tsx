import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { nameOf, type WebhookWithSecret } from './webhook';

export interface ShownSecretProps {
  readonly title: string;
  readonly webhook: WebhookWithSecret;
  /** Additional text. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new secret, once. Closes only with its button, not with Escape or a click outside. */
export function ShownSecret({ title, webhook, children, onClose }: ShownSecretProps): ReactNode {
  return (
    <Dialog title={title} isOpen isFirm onClose={onClose}>
      <Stack>
        <Alert color="yellow" title="The secret is shown only once">
          Your endpoint verifies the signatures of events with it. Store it in the settings of the
          server that receives them.
        </Alert>
        <CopyField
          label={`Secret of ${nameOf(webhook)}`}
          text={webhook.secret}
          copyLabel="Copy secret"
        />
        <Text size="sm">
          {children ?? (
            <>
              Libraries for{' '}
              <Anchor href="https://www.standardwebhooks.com" size="sm" underline="always">
                Standard Webhooks
              </Anchor>{' '}
              verify signatures in most languages.
            </>
          )}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
