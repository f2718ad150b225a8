import type { Role } from '../permission/role';

/** Who sends a request: the key, and through it the user and the account. */
export interface Caller {
  readonly keyId: string;
  readonly userId: string;
  readonly accountId: string;
  readonly role: Role;
  /** The user's or the account's suspension: every route is refused. */
  readonly suspended: boolean;
}
