import type { Role } from '../permission/role';

/** Who sends a request: the key or the session, and through it the user and the account. */
export interface Caller {
  /** The API key; `null` where the request came through the console. */
  readonly keyId: string | null;
  /** The console's session; `null` where the request came with a key. */
  readonly sessionId: string | null;
  readonly userId: string;
  readonly accountId: string;
  readonly role: Role;
  /** The user's or the account's suspension: every route is refused. */
  readonly suspended: boolean;
}

/** A caller who has sent an API key. */
export interface KeyCaller extends Caller {
  readonly keyId: string;
  readonly sessionId: null;
}

/** A caller who is signed in to the console. */
export interface SessionCaller extends Caller {
  readonly keyId: null;
  readonly sessionId: string;
}
