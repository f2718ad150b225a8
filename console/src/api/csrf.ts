import type { Session } from './types';

/** CSRF token of the session. It is sent with every change. */
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

/** Returns true for another session of the same user, as after a sign-in in another tab. */
export function isRenewedBy(session: Session): boolean {
  return session.user.id === userId && session.csrfToken !== token;
}

/** Returns true if another user has signed in, in another tab. */
export function isReplacedBy(session: Session): boolean {
  return userId !== undefined && session.user.id !== userId;
}
