import type { Role } from '../../common/permission/role';

/** The current session, for the console's pages. */
export interface SessionView {
  readonly user: { readonly id: string; readonly email: string; readonly role: Role };
  readonly account: { readonly id: string; readonly name: string };
  /** Value of `X-CSRF-Token` in requests that change data. */
  readonly csrfToken: string;
  /** RFC 3339. The session expires then if it makes no further request. */
  readonly expiresAt: string;
}

/**
 * Response to a correct password that belongs to users of several accounts: the client must name
 * one of these accounts.
 */
export interface AccountChoice {
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
}
