import type { ApiError } from './api-error';

type Ask = () => Promise<boolean>;

let ask: Ask | undefined;
let asking: Promise<boolean> | undefined;

/** Sets who asks the user to sign in again. @returns a function that removes it. */
export function onProofRequest(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = undefined;
  };
}

/** Returns whether a request failed because the user must first sign in again. */
export const needsProof = ({ details }: ApiError): boolean =>
  details.some(({ code }) => code === 'recent_sign_in_required');

/** Asks the user to sign in again, once for all requests that need it. @returns `false` if the user does not. */
export async function requestProof(): Promise<boolean> {
  asking ??= ask?.().finally(() => {
    asking = undefined;
  });
  return (await asking) ?? false;
}
