import { Alert, Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import type { AccountChoice } from '../api/types';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';

export interface ChooseAccountProps {
  readonly accounts: AccountChoice['accounts'];
  /** Account of the current sign-in. */
  readonly pendingId: string | undefined;
  readonly problem: string | undefined;
  readonly onChoose: (accountId: string) => void;
  readonly onBack: () => void;
}

/** Asks for the account to sign in to, if several have this email address and password. */
export function ChooseAccount(props: ChooseAccountProps): ReactNode {
  const { accounts, pendingId, problem, onChoose, onBack } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('button')?.focus();
  }, []);
  return (
    <Stack ref={list}>
      <Text>{signInText.accounts.choose}</Text>
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <Stack component="ul" className="plain-list" gap="xs" aria-label={signInText.accounts.label}>
        {accounts.map(({ id, name }) => (
          <li key={id}>
            <Button
              variant="default"
              fullWidth
              loading={id === pendingId}
              onClick={() => {
                onChoose(id);
              }}
            >
              {name}
            </Button>
          </li>
        ))}
      </Stack>
      <Button variant="subtle" onClick={onBack}>
        {text.actions.back}
      </Button>
    </Stack>
  );
}
