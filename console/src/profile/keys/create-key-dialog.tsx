import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import type { NewApiKey, Role } from '../../api/types';
import { Dialog } from '../../common/dialog';
import { expiresAtOf, type Expiry } from '../../common/expiry';
import { ExpiryField } from '../../common/expiry-field';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { OWN_KEYS, reloadKeys } from '../../session/keys-query';
import { highestRole } from '../../session/role';
import { useSession } from '../../session/session-context';
import { profileText } from '../../text/profile-text';
import { type Access, accessErrors, bodyOf, FULL_ACCESS } from './access';
import { AccessField } from './access-field';
import { ShownKey } from './shown-key';

const t = profileText.newKey;

export interface CreateKeyDialogProps {
  /** Path of the list that gets the key. The user's own keys if it is absent. */
  readonly path?: string;
  /** Role of the user who gets the key. */
  readonly role?: Role;
  readonly onCreated?: (key: NewApiKey) => void;
  readonly onClose: () => void;
}

export default function CreateKeyDialog(props: CreateKeyDialogProps): ReactNode {
  const { path = OWN_KEYS, onCreated, onClose } = props;
  const own = highestRole(useSession().user);
  const [access, setAccess] = useState<Access>(FULL_ACCESS);
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ choice: '90', day: '' });
  const { mutate, isPending, error, data, variables } = useMutation({
    mutationFn: async (chosen: Access) => {
      const body = { name, expiresAt: expiresAtOf(expiry), ...bodyOf(chosen) };
      return (await request<NewApiKey>('POST', path, { body })).data;
    },
    onSuccess: (created) => onCreated?.(created),
    onSettled: reloadKeys,
  });
  const { fields, rest } = formErrors(error, [
    'name',
    'expiresAt',
    'scopes',
    'workspaceIds',
    'datagridIds',
  ]);
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
          mutate(access);
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
        <AccessField
          role={props.role ?? own}
          value={access}
          onChange={setAccess}
          {...accessErrors(fields, variables)}
        />
      </Form>
    </Dialog>
  );
}
