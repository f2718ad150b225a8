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
import { ShownKey } from './shown-key';

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
  if (data) return <ShownKey title="Your new key" apiKey={data} onClose={onClose} />;
  return (
    <Dialog title="New API key" isOpen onClose={onClose}>
      <Form
        submitLabel="Create the key"
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <TextInput
          label="Name"
          description="The program that uses the key, such as “Stock sync, production”."
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
          neverHint="A key that never expires works until somebody revokes it."
          error={fields.expiresAt}
        />
      </Form>
    </Dialog>
  );
}
