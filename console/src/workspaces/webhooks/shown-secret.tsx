import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { Parts } from '../../common/parts';
import { webhooksText } from '../../text/webhooks-text';
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
  const t = webhooksText.secret;
  return (
    <Dialog title={title} isOpen isFirm onClose={onClose}>
      <Stack>
        <Alert color="yellow" title={t.once}>
          {t.use}
        </Alert>
        <CopyField label={t.label(nameOf(webhook))} text={webhook.secret} copyLabel={t.copy} />
        <Text size="sm">
          {children ?? (
            <Parts
              of={t.libraries((label) => (
                <Anchor href="https://www.standardwebhooks.com" size="sm" underline="always">
                  {label}
                </Anchor>
              ))}
            />
          )}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.stored}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
