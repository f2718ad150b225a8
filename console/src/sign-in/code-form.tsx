import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CodeField } from '../common/code-field';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';

export interface CodeFormProps {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (code: string) => void;
  readonly onBack: () => void;
}

/** Asks a user whose password is right for the code of the authenticator app. */
export function CodeForm({ onSubmit, onBack, error, isPending }: CodeFormProps): ReactNode {
  const { fields, rest } = formErrors(error, ['code']);
  const [code, setCode] = useState('');
  return (
    <>
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
          label={signInText.code.label}
          description={signInText.code.hint}
          hasFocus
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
