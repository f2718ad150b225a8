import { NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import type { RotatedApiKey } from '../../api/types';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { quoted } from '../../common/quoted';
import { formatDateAndTime } from '../../common/time';
import { reloadKeys } from '../../session/keys-query';
import type { KeyDialogProps } from './revoke-key-dialog';
import { ShownKey } from './shown-key';

const DAY_SECONDS = 86_400;

const KEEP_CHOICES = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: '1 hour' },
  { value: String(DAY_SECONDS), label: '1 day' },
  { value: String(3 * DAY_SECONDS), label: '3 days' },
  { value: String(7 * DAY_SECONDS), label: '7 days' },
];

/** Replaces a key. The old key keeps working for some time. */
export function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps): ReactNode {
  const [keepFor, setKeepFor] = useState(String(DAY_SECONDS));
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const options = { body: { keepForSeconds: Number(keepFor) } };
      return (await request<RotatedApiKey>('POST', `/keys/${apiKey.id}/rotation`, options)).data;
    },
    onSettled: reloadKeys,
  });
  const { fields, rest } = formErrors(error, ['keepForSeconds']);
  if (data) {
    return (
      <ShownKey title="Your new key" apiKey={data} onClose={onClose}>
        {keptUntil(data.replaced.expiresAt)}
      </ShownKey>
    );
  }
  return (
    <Dialog title={`Rotate ${quoted(apiKey.name)}`} isOpen onClose={onClose}>
      <Form
        submitLabel="Create the new key"
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>
          You get a new key. The old one keeps working for some time, so that nothing stops before
          you have put the new one in.
        </Text>
        <NativeSelect
          label="The old key keeps working for"
          data-autofocus
          data={KEEP_CHOICES}
          value={keepFor}
          error={fields.keepForSeconds}
          onChange={(event) => {
            setKeepFor(event.currentTarget.value);
          }}
        />
      </Form>
    </Dialog>
  );
}

function keptUntil(expiresAt: string | null): string {
  const isOver = expiresAt === null || Date.parse(expiresAt) <= Date.now();
  if (isOver) return 'The old key no longer works.';
  return `The old key works until ${formatDateAndTime(expiresAt)}.`;
}
