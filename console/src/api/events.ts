import type { ApiError } from './api-error';
import type { Session } from './types';

/** Events of the session and the connection that any request may cause. */
export type ApiEvent =
  | { readonly kind: 'reached' }
  | { readonly kind: 'outage'; readonly error: ApiError }
  | { readonly kind: 'session-replaced'; readonly session: Session }
  /** The permissions of the user may have changed. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'session-ended'; readonly error: ApiError }
  | { readonly kind: 'suspended'; readonly error: ApiError };

type Listener = (event: ApiEvent) => void;

const listeners = new Set<Listener>();

export function emitApiEvent(event: ApiEvent): void {
  for (const listener of listeners) listener(event);
}

/** @returns a function that removes the listener. */
export function onApiEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
