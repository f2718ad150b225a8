import { NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import type { RotatedApiKey } from '../../api/types';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { quoted } from '../../text/words';
import { formatDateAndTime } from '../../common/time';
import { reloadKeys } from '../../session/keys-query';
import { profileText } from '../../text/profile-text';
import type { KeyDialogProps } from './revoke-key-dialog';
import { ShownKey } from './shown-key';

const t = profileText.rotateKey;

const DAY_SECONDS = 86_400;

const KEEP_CHOICES = [
  { value: '0', label: t.keepNot },
  { value: '3600', label: t.keepHours(1) },
  { value: String(DAY_SECONDS), label: t.keepDays(1) },
  { value: String(3 * DAY_SECONDS), label: t.keepDays(3) },
  { value: String(7 * DAY_SECONDS), label: t.keepDays(7) },
];

/** Replaces a key. The old key keeps working for some time. */
export function RotateKeyDialog({ apiKey, path, onClose }: KeyDialogProps): ReactNode {
  const [keepFor, setKeepFor] = useState(String(DAY_SECONDS));
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const options = { body: { keepForSeconds: Number(keepFor) } };
      return (await request<RotatedApiKey>('POST', `${path}/${apiKey.id}/rotation`, options)).data;
    },
    onSettled: reloadKeys,
  });
  const { fields, rest } = formErrors(error, ['keepForSeconds']);
  if (data) {
    return (
      <ShownKey apiKey={data} onClose={onClose}>
        {keptUntil(data.replaced.expiresAt)}
      </ShownKey>
    );
  }
  return (
    <Dialog title={t.title(quoted(apiKey.name))} isOpen onClose={onClose}>
      <Form
        submitLabel={t.submit}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{t.hint}</Text>
        <NativeSelect
          label={t.keep}
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
  return isOver ? t.over : t.until(formatDateAndTime(expiresAt));
}
