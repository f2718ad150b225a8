import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import { CodeField } from '../../common/code-field';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import type { AddedFactor } from '../../session/factors-query';
import { ProofForm } from '../../session/proof-dialog';
import { profileText } from '../../text/profile-text';
import { text } from '../../text/text';
import { QrCode } from './qr-code';
import { RecoveryCodes } from './recovery-codes';
import { reloadFactorsAndSessions } from './reload';

const t = profileText.secondFactor;

/** A secret for an authenticator app. */
interface Enrollment {
  readonly secret: string;
  readonly uri: string;
}

/** Sets up an authenticator app in three steps: proof, code, and recovery codes if it is the first factor. */
export function SetUpDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [enrollment, setEnrollment] = useState<Enrollment>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = ({ recoveryCodes }: AddedFactor): void => {
    if (recoveryCodes) setCodes(recoveryCodes);
    else onClose();
  };
  return (
    <Dialog title={t.setUp} isOpen isFirm={codes !== undefined} onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : enrollment ? (
        <CodeStep enrollment={enrollment} onDone={close} onCancel={onClose} />
      ) : (
        <ProofForm
          submitLabel={t.next}
          onProve={async (proof) => {
            setEnrollment(
              (await request<Enrollment>('POST', '/factors/totp', { body: proof })).data,
            );
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

interface CodeStepProps {
  readonly enrollment: Enrollment;
  readonly onDone: (added: AddedFactor) => void;
  readonly onCancel: () => void;
}

function CodeStep({ enrollment, onDone, onCancel }: CodeStepProps): ReactNode {
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const options = { body: { code } };
      return (await request<AddedFactor>('POST', '/factors/totp/confirmation', options)).data;
    },
    onSuccess: async (added) => {
      onDone(added);
      await reloadFactorsAndSessions();
    },
    // The response of a confirmation can be lost.
    onError: reloadFactorsAndSessions,
  });
  const { fields, rest } = formErrors(error, ['code']);
  return (
    <Form
      submitLabel={t.turnOn}
      isPending={isPending}
      error={error}
      problem={rest}
      onCancel={onCancel}
      onSubmit={() => {
        mutate();
      }}
    >
      <Text>{t.scan}</Text>
      <Stack align="center">
        <QrCode text={enrollment.uri} label={t.qrCode} />
      </Stack>
      <CopyField label={t.secret} text={enrollment.secret} copyLabel={t.copySecret} />
      <CodeField
        label={text.codes.label}
        hasFocus
        value={code}
        error={fields.code}
        onChange={setCode}
      />
    </Form>
  );
}
