import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formErrors } from '../common/field-errors';
import { canUsePasskeys, signInByPasskey } from '../session/passkey';
import { beginSession } from '../session/session-query';
import { signInText } from '../text/sign-in-text';

/** Signs in by a passkey, if the browser can use one. */
export function PasskeyButton(): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: signInByPasskey,
    onSuccess: beginSession,
  });
  if (!canUsePasskeys) return null;
  const problem = formErrors(error, []).rest;
  return (
    <>
      <Button
        variant="default"
        fullWidth
        my="xs"
        loading={isPending}
        onClick={() => {
          mutate();
        }}
      >
        {signInText.passkey}
      </Button>
      {problem && (
        <Alert color="red" role="alert" mb="xs">
          {problem}
        </Alert>
      )}
    </>
  );
}
