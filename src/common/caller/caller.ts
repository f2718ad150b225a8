import type { Role } from '../permission/role';

/** Sender of a request: the key or the session, with its user and account. */
export interface Caller {
  /** Id of the API key; `null` if the request came through the console. */
  readonly keyId: string | null;
  /** Id of the console's session; `null` if the request came with a key. */
  readonly sessionId: string | null;
  readonly userId: string;
  readonly accountId: string;
  readonly role: Role;
  /**
   * Whether the user or the account is suspended. Then every route that is not public returns 403.
   */
  readonly suspended: boolean;
}

/** A caller with an API key. */
export interface KeyCaller extends Caller {
  readonly keyId: string;
  readonly sessionId: null;
}

/** A caller with a console session. */
export interface SessionCaller extends Caller {
  readonly keyId: null;
  readonly sessionId: string;
}
