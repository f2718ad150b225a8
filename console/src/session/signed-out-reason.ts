/** Reason why the user was signed out. */
export type SignedOutReason = 'ended' | 'suspended' | undefined;

let reason: SignedOutReason;
const listeners = new Set<() => void>();

export function signedOutReason(): SignedOutReason {
  return reason;
}

export function setSignedOutReason(next: SignedOutReason): void {
  reason = next;
  for (const listener of listeners) listener();
}

export function onSignedOutReason(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
