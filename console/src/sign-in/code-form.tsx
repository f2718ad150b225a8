import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CodeField } from '../common/code-field';
import { Form } from '../common/form';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';

export interface CodeFormProps {
  readonly isPending: boolean;
  readonly error: unknown;
  /** Message without a field. */
  readonly problem: ReactNode;
  readonly onSubmit: (code: string) => void;
  readonly onBack: () => void;
}

/** Asks a user whose password is right for the code of the authenticator app. */
export function CodeForm({ onSubmit, onBack, ...form }: CodeFormProps): ReactNode {
  const [code, setCode] = useState('');
  return (
    <>
      <Form
        {...form}
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
          error={undefined}
          onChange={setCode}
        />
      </Form>
      <Button variant="subtle" fullWidth mt="xs" onClick={onBack}>
        {text.actions.back}
      </Button>
    </>
  );
}
