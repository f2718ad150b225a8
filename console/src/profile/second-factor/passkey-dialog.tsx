import { Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../../api/api-error';
import { request } from '../../api/client';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import type { AddedFactor } from '../../session/factors-query';
import { createPasskey, type NewPasskeyOptions } from '../../session/passkey';
import { ProofForm } from '../../session/proof-dialog';
import { profileText } from '../../text/profile-text';
import { nameOfBrowser } from '../sessions/browser-name';
import { RecoveryCodes } from './recovery-codes';
import { reloadFactorsAndSessions } from './reload';

const t = profileText.secondFactor.passkeys;

/** Adds a passkey in three steps: proof, name, and recovery codes if it is the first factor. */
export function PasskeyDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [options, setOptions] = useState<NewPasskeyOptions>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = ({ recoveryCodes }: AddedFactor): void => {
    if (recoveryCodes) setCodes(recoveryCodes);
    else onClose();
  };
  return (
    <Dialog title={t.add} isOpen isFirm={codes !== undefined} onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : options ? (
        <NameStep
          options={options}
          onDone={close}
          onRestart={() => {
            setOptions(undefined);
          }}
          onCancel={onClose}
        />
      ) : (
        <ProofForm
          submitLabel={profileText.secondFactor.next}
          onProve={async (proof) => {
            const begun = request<NewPasskeyOptions>('POST', '/factors/passkeys', { body: proof });
            setOptions((await begun).data);
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

interface NameStepProps {
  readonly options: NewPasskeyOptions;
  readonly onDone: (added: AddedFactor) => void;
  /** The options can no longer be used. */
  readonly onRestart: () => void;
  readonly onCancel: () => void;
}

function NameStep({ options, onDone, onRestart, onCancel }: NameStepProps): ReactNode {
  const [name, setName] = useState(() => nameOfBrowser(navigator.userAgent));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (name.trim() === '') throw new Error(t.noName);
      const body = { name, passkey: await createPasskey(options) };
      return (await request<AddedFactor>('POST', '/factors/passkeys/confirmation', { body })).data;
    },
    onSuccess: async (added) => {
      onDone(added);
      await reloadFactorsAndSessions();
    },
    onError: async (failure) => {
      // The challenge is used up. The response that it was added can be lost, too.
      if (isApiError(failure)) {
        notifications.show({ color: 'red', message: t.startAgain });
        onRestart();
      }
      await reloadFactorsAndSessions();
    },
  });
  const { fields, rest } = formErrors(error, ['name']);
  return (
    <Form
      submitLabel={t.create}
      isPending={isPending}
      error={error}
      problem={rest}
      onCancel={onCancel}
      onSubmit={() => {
        mutate();
      }}
    >
      <Text>{t.createHint}</Text>
      <TextInput
        label={t.name}
        name="name"
        autoFocus
        maxLength={200}
        value={name}
        error={fields.name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
    </Form>
  );
}
