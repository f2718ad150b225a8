import type { KeyCaller } from '../../common/caller/app-request';
import { newIdAt } from '../../common/text/id';

/** A finished request that was sent with a key. Contains no values of the query string or the body. */
export interface KeyRequest {
  /** Time at which the request arrived, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly caller: Pick<KeyCaller, 'accountId' | 'userId' | 'keyId'>;
  readonly method: string;
  /** Pattern of the route; `null` if no route matches. */
  readonly route: string | null;
  /** `null` if the connection ended before a response began. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly errorCode: string | null;
  /** Whether the connection ended before the response was sent completely. */
  readonly aborted: boolean;
}

/** A request with an id, which it keeps if it is written again. */
export interface IdentifiedRequest extends KeyRequest {
  /** Sorts by `atMs`. */
  readonly id: string;
}

/** Number of requests with a key that were left out since `sinceMs`. */
export interface RequestGap {
  readonly caller: KeyRequest['caller'];
  readonly sinceMs: number;
  readonly leftOut: number;
}

/** Content of a buffer. Requests that could not be written have an id. */
export interface BufferedRequests {
  readonly requests: readonly (KeyRequest | IdentifiedRequest)[];
  readonly gaps: readonly RequestGap[];
}

/** Requests and gaps that are written together. */
export interface RequestBatch extends BufferedRequests {
  readonly requests: readonly IdentifiedRequest[];
}

/** Returns the requests with ids. Those that have one keep it. */
export function identified(requests: BufferedRequests['requests']): IdentifiedRequest[] {
  return requests.map((request, seq) =>
    'id' in request ? request : { ...request, id: newIdAt(request.atMs, seq) },
  );
}

export interface BufferLimits {
  /** Requests of one account. */
  readonly account: number;
  /** Requests of all accounts. */
  readonly total: number;
  /** Requests of one account that are kept even if the buffer is more than half full. */
  readonly reserved: number;
}

/**
 * Limits of one process. The buffer is written every 5 seconds, so an account can have 100 requests per
 * second.
 */
export const BUFFER_LIMITS: BufferLimits = { account: 500, total: 10_000, reserved: 20 };

interface AccountBuffer {
  readonly requests: (KeyRequest | IdentifiedRequest)[];
  /** Gaps by key. */
  readonly gaps: Map<string, { -readonly [Member in keyof RequestGap]: RequestGap[Member] }>;
}

/**
 * Keeps requests in memory until they are written. Counts those beyond the limits. Once the buffer is
 * half full, it accepts only the first few requests of each account.
 */
export class RequestBuffer {
  private accounts = new Map<string, AccountBuffer>();
  private size = 0;

  constructor(private readonly limits = BUFFER_LIMITS) {}

  add(request: KeyRequest | IdentifiedRequest): void {
    const account = this.accountOf(request.caller);
    if (this.hasRoom(account)) {
      account.requests.push(request);
      this.size += 1;
    } else addGap(account, request.caller, request.atMs, 1);
  }

  /**
   * Counts a request if there is no room for it, so that the caller need not create it.
   * @returns whether it was counted. If not, the caller adds it.
   */
  countIfFull(caller: KeyRequest['caller'], atMs: number): boolean {
    const account = this.accountOf(caller);
    if (this.hasRoom(account)) return false;
    addGap(account, caller, atMs, 1);
    return true;
  }

  /** Returns and clears the requests and gaps since the last call. */
  take(): BufferedRequests {
    const accounts = [...this.accounts.values()];
    this.accounts = new Map();
    this.size = 0;
    return {
      requests: accounts.flatMap(({ requests }) => requests),
      gaps: accounts.flatMap(({ gaps }) => [...gaps.values()]),
    };
  }

  /** Adds requests and gaps back that could not be written. Those beyond the limits are counted. */
  giveBack({ requests, gaps }: BufferedRequests): void {
    for (const request of requests) this.add(request);
    for (const { caller, sinceMs, leftOut } of gaps) {
      addGap(this.accountOf(caller), caller, sinceMs, leftOut);
    }
  }

  private hasRoom({ requests }: AccountBuffer): boolean {
    const { account, total, reserved } = this.limits;
    if (this.size >= total) return false;
    return requests.length < (this.size < total / 2 ? account : reserved);
  }

  private accountOf({ accountId }: KeyRequest['caller']): AccountBuffer {
    let account = this.accounts.get(accountId);
    if (!account) this.accounts.set(accountId, (account = { requests: [], gaps: new Map() }));
    return account;
  }
}

function addGap(
  { gaps }: AccountBuffer,
  caller: KeyRequest['caller'],
  sinceMs: number,
  leftOut: number,
): void {
  const known = gaps.get(caller.keyId);
  if (!known) {
    gaps.set(caller.keyId, { caller, sinceMs, leftOut });
    return;
  }
  known.sinceMs = Math.min(known.sinceMs, sinceMs);
  known.leftOut += leftOut;
}
