import type { Session } from './types';

/** Goes with every request that changes something. It belongs to the session. */
let token: string | undefined;
let userId: string | undefined;

export function csrfToken(): string | undefined {
  return token;
}

export function keepCsrfToken(session: Session): void {
  token = session.csrfToken;
  userId = session.user.id;
}

export function forgetCsrfToken(): void {
  token = undefined;
  userId = undefined;
}

/** Whether `session` is another one of the same user, as after a sign-in in another tab. */
export function isRenewedBy(session: Session): boolean {
  return session.user.id === userId && session.csrfToken !== token;
}

/** Whether somebody else has signed in, in another tab. */
export function isReplacedBy(session: Session): boolean {
  return userId !== undefined && session.user.id !== userId;
}
