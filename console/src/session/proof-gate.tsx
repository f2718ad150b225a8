import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { onProofRequest } from '../api/proof-request';
import { text } from '../text/text';

/** Loaded when it is needed: few visits are that long. */
const ProofDialog = lazy(async () => ({ default: (await import('./proof-dialog')).ProofDialog }));

/** Asks the user to sign in again when a request needs it, which is then sent again. */
export function ProofGate(): ReactNode {
  const [answer, setAnswer] = useState<(isProven: boolean) => void>();
  useEffect(
    () =>
      onProofRequest(
        () =>
          new Promise<boolean>((resolve) => {
            setAnswer(() => resolve);
          }),
      ),
    [],
  );
  if (!answer) return null;
  const end = (isProven: boolean): void => {
    setAnswer(undefined);
    answer(isProven);
  };
  return (
    <Suspense fallback={null}>
      <ProofDialog
        title={text.proof.title}
        hint={text.proof.hint}
        submitLabel={text.proof.confirm}
        onConfirm={async (proof) => {
          await request('POST', '/session/proof', { body: proof });
          end(true);
        }}
        onClose={() => {
          end(false);
        }}
      />
    </Suspense>
  );
}
