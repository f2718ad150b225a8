import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import type { NewApiKey } from '../../api/types';
import { Dialog } from '../../common/dialog';
import { expiresAtOf, type Expiry } from '../../common/expiry';
import { ExpiryField } from '../../common/expiry-field';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { reloadKeys } from '../../session/keys-query';
import { profileText } from '../../text/profile-text';
import { ShownKey } from './shown-key';

const t = profileText.newKey;

export interface CreateKeyDialogProps {
  readonly onCreated?: (key: string) => void;
  readonly onClose: () => void;
}

export default function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps): ReactNode {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ choice: '90', day: '' });
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const body = { name, expiresAt: expiresAtOf(expiry) };
      return (await request<NewApiKey>('POST', '/keys', { body })).data;
    },
    onSuccess: ({ key }) => onCreated?.(key),
    onSettled: reloadKeys,
  });
  const { fields, rest } = formErrors(error, ['name', 'expiresAt']);
  if (data) return <ShownKey apiKey={data} onClose={onClose} />;
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
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
        <TextInput
          label={t.name}
          description={t.nameHint}
          data-autofocus
          value={name}
          error={fields.name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <ExpiryField
          value={expiry}
          onChange={setExpiry}
          neverHint={t.neverHint}
          error={fields.expiresAt}
        />
      </Form>
    </Dialog>
  );
}
