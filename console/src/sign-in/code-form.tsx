import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { FactorChoice } from '../api/types';
import { CodeField } from '../common/code-field';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';
import { PasskeyButton } from './passkey-button';

export interface CodeFormProps extends FactorChoice {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (code: string) => void;
  readonly onBack: () => void;
}

/** Asks a user whose password is right for a code, or for a passkey instead. */
export function CodeForm(props: CodeFormProps): ReactNode {
  const { factors, onSubmit, onBack, error, isPending } = props;
  const { fields, rest } = formErrors(error, ['code']);
  const [code, setCode] = useState('');
  const hasPasskey = factors.includes('passkey');
  return (
    <>
      {hasPasskey && <PasskeyButton />}
      <Form
        isPending={isPending}
        error={error}
        problem={rest}
        submitLabel={signInText.submit}
        isWide
        onSubmit={() => {
          onSubmit(code);
        }}
      >
        <CodeField
          label={text.codes.label}
          description={factors.includes('totp') ? text.codes.hint : text.codes.recoveryHint}
          hasFocus={!hasPasskey}
          value={code}
          error={fields.code}
          onChange={setCode}
        />
      </Form>
      <Button variant="subtle" fullWidth mt="xs" onClick={onBack}>
        {text.actions.back}
      </Button>
    </>
  );
}
