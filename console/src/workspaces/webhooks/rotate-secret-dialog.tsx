import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { AttemptKey } from '../../api/attempt-key';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { ShownSecret } from './shown-secret';
import { nameOf, type Webhook } from './webhook';
import { reloadWebhooks, rotateSecret, type WebhookRef } from './webhook-calls';

export interface WebhookTaskProps {
  readonly at: WebhookRef;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Asks for confirmation, replaces the secret, and shows the new one. */
export function RotateSecretDialog({ at, webhook, onClose }: WebhookTaskProps): ReactNode {
  const [attempt] = useState(() => new AttemptKey());
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => attempt.use('rotate', (key) => rotateSecret(at, key)),
    onSettled: () => reloadWebhooks(at.workspaceId),
  });
  if (data) {
    return (
      <ShownSecret title="Your new secret" webhook={data} onClose={onClose}>
        Replace the secret of your endpoint within 24 hours. Until then, events are signed with both
        secrets, so that no delivery fails.
      </ShownSecret>
    );
  }
  return (
    <Dialog title={`Rotate the secret of ${nameOf(webhook)}?`} isOpen onClose={onClose}>
      <Form
        submitLabel="Create a new secret"
        isPending={isPending}
        error={error}
        problem={formErrors(error, []).rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>
          You get a new secret. For 24 hours, events are signed with the new and the previous one.
          After that, the previous secret is no longer valid.
        </Text>
      </Form>
    </Dialog>
  );
}
