import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { AttemptKey } from '../../api/attempt-key';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { webhooksText } from '../../text/webhooks-text';
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
  const t = webhooksText.rotation;
  const [attempt] = useState(() => new AttemptKey());
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => attempt.use('rotate', (key) => rotateSecret(at, key)),
    onSettled: () => reloadWebhooks(at.workspaceId),
  });
  if (data) {
    return (
      <ShownSecret title={t.done} webhook={data} onClose={onClose}>
        {t.doneHint}
      </ShownSecret>
    );
  }
  return (
    <Dialog title={t.title(nameOf(webhook))} isOpen onClose={onClose}>
      <Form
        submitLabel={t.submit}
        isPending={isPending}
        error={error}
        problem={formErrors(error, []).rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{t.hint}</Text>
      </Form>
    </Dialog>
  );
}
