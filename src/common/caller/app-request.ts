import type { Request } from 'express';
import type { Role, WorkspaceRole } from '../permission/permission';
import type { Scope } from '../permission/scope';

/** Properties that request processing adds to Express's request. */
export interface AppRequest extends Request {
  /** Also sent in `X-Request-Id`, in every error body and in the log. */
  requestId: string;
  /** Bytes of the body, decompressed, if it was received before it is parsed. */
  bodyBytes?: Buffer;
  /**
   * Time spent receiving the body, in milliseconds. Absent if the service did not read the body.
   */
  bodyMs?: number;
  /** Time spent waiting for changes, in milliseconds, without the current wait. */
  waitMs?: number;
  /** Start of the current wait for changes, as of `performance.now()`. */
  waitingSinceMs?: number | undefined;
  /** Id of the trace that the request belongs to, set by this service's tracing. */
  traceId?: string;
  /** Whether the console calls a route of the public API, with a session instead of a key. */
  isFromConsole?: true;
  /**
   * Whether the service itself makes this request, for a request of a client that it has counted
   * against the rate limits. Clients cannot set it.
   */
  isInternal?: true;
  /** Whether an internal request is recorded in place of this one. */
  isDelegated?: true;
  /** Code of the error that the response has. */
  errorCode?: string;
  /** Set by the caller guard; absent on public routes. */
  caller?: Caller;
}

/** What a request is about, by its path: a workspace, a datagrid, or neither. */
export interface AccessTarget {
  readonly workspaceId: string | null;
  readonly datagridId: string | null;
}

/** What an access token of an application is for: the MCP server, or the public API. */
export type Audience = 'mcp' | 'api';

/** Sender of a request: the key or the session, with its user and account. */
export interface Caller {
  /** Id of the API key; `null` if the request came through the console. */
  readonly keyId: string | null;
  /** Id of the console's session; `null` if the request came with a key. */
  readonly sessionId: string | null;
  readonly userId: string;
  readonly accountId: string;
  /**
   * Role in the account. While a request is processed, it is the role in the workspace of the
   * request, if that is higher.
   */
  readonly role: Role;
  /** Roles in single workspaces by their ids; `null` if there are none. */
  readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>> | null;
  /** Scopes of the key; `null` if it has all permissions of its user, as a session has. */
  readonly scopes: readonly Scope[] | null;
  /**
   * Workspaces and datagrids that the key is limited to. If both are `null`, it is limited to none.
   */
  readonly workspaceIds: readonly string[] | null;
  readonly datagridIds: readonly string[] | null;
  /** What the token of an application is for. Absent or `null` for API keys and sessions. */
  readonly audience?: Audience | null;
  /** Hash of the token of an application, in hexadecimal: its key gets another one with each refresh. */
  readonly tokenHash?: string;
  /** Set while a request is processed, if the access of the caller depends on it. */
  readonly target?: AccessTarget;
  /**
   * Set while a request is processed, if the caller has the access only to the workspace or datagrid of
   * the request: the key is limited, or the role in the account does not suffice.
   */
  readonly isConfined?: boolean;
  /**
   * Set while a request is processed, if the key may use only some datagrids of the workspace of the
   * request: these, and maybe others elsewhere.
   */
  readonly onlyDatagridIds?: readonly string[];
  /**
   * Whether the user or the account is suspended. Then every route that is not public returns 403.
   */
  readonly suspended: boolean;
  /**
   * Whether the account requires a second factor and the user has none. Then the session can call only the routes
   * that are marked with `ServesWithoutSecondFactor`. Absent for keys.
   */
  readonly lacksSecondFactor?: boolean;
  /**
   * Whether the user has signed in within the last hour, or signed in again. If not, the session cannot call the
   * routes that are marked with `RequireRecentSignIn`. Absent for keys.
   */
  readonly hasRecentSignIn?: boolean;
  /** Token of a directory. Present only on routes of SCIM, which accept nothing else. */
  readonly scimToken?: ScimTokenName;
}

export interface ScimTokenName {
  readonly id: string;
  readonly name: string;
}

/** A directory with a SCIM token. It has no permission, and `userId` is the ID of the token. */
export interface ScimCaller extends Caller {
  readonly keyId: null;
  readonly sessionId: null;
  readonly scimToken: ScimTokenName;
}

/** A caller with an API key. */
export interface KeyCaller extends Caller {
  readonly keyId: string;
  readonly sessionId: null;
}

export function isKeyCaller(caller: Caller): caller is KeyCaller {
  return caller.keyId !== null;
}

/** A caller with a console session. */
export interface SessionCaller extends Caller {
  readonly keyId: null;
  readonly sessionId: string;
}

/** Marks that a request waits for changes from now on. Only the client decides how long. */
export function startWaiting(request: AppRequest): void {
  request.waitingSinceMs ??= performance.now();
}

export function stopWaiting(request: AppRequest): void {
  request.waitMs = waitMsOf(request);
  request.waitingSinceMs = undefined;
}

/** Returns the time that a request has waited for changes, in milliseconds. */
export function waitMsOf({ waitMs = 0, waitingSinceMs }: AppRequest): number {
  return waitingSinceMs === undefined ? waitMs : waitMs + performance.now() - waitingSinceMs;
}

const PROBES = '/health/';

/**
 * Returns whether a path is that of a health probe. Probes arrive every few seconds from the
 * machine itself, carry no data, and get a response regardless of the load. They are not traced.
 */
export function isProbe(path: string): boolean {
  return path.startsWith(PROBES);
}

/**
 * Returns the pattern of the route that matched a request. It contains nothing that the client
 * sent.
 */
export function routeOf(request: AppRequest): string | undefined {
  return (request.route as { path?: string } | undefined)?.path;
}
