import type { Role } from '../../common/permission/role';

/** Who is signed in, as the console's pages see it. */
export interface SessionView {
  readonly user: { readonly id: string; readonly email: string; readonly role: Role };
  readonly account: { readonly id: string; readonly name: string };
  /** To be sent as `X-CSRF-Token` with whatever changes something. */
  readonly csrfToken: string;
  /** RFC 3339: when the session is over if nothing more is asked with it. */
  readonly expiresAt: string;
}

/** The right password, of users of several accounts: one of them is to be named. */
export interface AccountChoice {
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
}
