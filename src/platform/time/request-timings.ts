import { AsyncLocalStorage } from 'node:async_hooks';

/** Statements of one name in one request. */
export interface StatementTime {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
}

/** Statements that do nothing but take a lock: they take as long as they wait for it. */
const LOCK_STATEMENT = /(^|-)(lock|hold)(-|$)/;
const MAX_REPORTED = 8;

/** Where the time of one request went, in milliseconds. */
export class RequestTimings {
  /** Statements and transactions, from sending to the answer, with waiting for locks. */
  databaseMs = 0;
  /** Waiting for a connection of a pool, and for a new one to be made. */
  connectionMs = 0;
  /** The part of `databaseMs` in statements that only take a lock. */
  lockMs = 0;
  private readonly statements = new Map<string, { count: number; ms: number }>();

  addStatement(name: string, ms: number): void {
    this.databaseMs += ms;
    if (LOCK_STATEMENT.test(name)) this.lockMs += ms;
    const known = this.statements.get(name);
    if (known) {
      known.count += 1;
      known.ms += ms;
    } else {
      this.statements.set(name, { count: 1, ms });
    }
  }

  /** What took longest, the longest first. */
  get slowest(): StatementTime[] {
    return [...this.statements]
      .map(([name, { count, ms }]) => ({ name, count, ms: rounded(ms) }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, MAX_REPORTED);
  }
}

/** To hundredths of a millisecond. */
export function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/**
 * From Node 24 on a context costs a request some microsecond. Before, it follows every promise of
 * the process while one is in use, some 13 µs a request, which reads and single creates must not pay.
 */
const FOLLOWS_ALL = Number(process.versions.node.split('.')[0]) >= 24;
const CREATE_PATH = /\/(?:rows|records)(?:\/import)?(?:\?|$)/;

const storage = new AsyncLocalStorage<RequestTimings>();
let followed = 0;

/** Whether the time of such a request is followed into the database. */
export function isFollowed(method: string, url: string): boolean {
  if (FOLLOWS_ALL) return true;
  return method !== 'GET' && method !== 'HEAD' && !(method === 'POST' && CREATE_PATH.test(url));
}

/** Runs the rest of a request so that what it does finds its timings; `stopFollowing` is due then. */
export function follow(timings: RequestTimings, work: () => void): void {
  followed += 1;
  storage.run(timings, work);
}

/** Once for every `follow`, when the request is over. */
export function stopFollowing(): void {
  followed -= 1;
  if (followed === 0 && !FOLLOWS_ALL) storage.disable();
}

/** The timings of the request on whose behalf this runs, if it is followed. */
export function currentTimings(): RequestTimings | undefined {
  return followed === 0 ? undefined : storage.getStore();
}

/** Counts the time until the end of `work` as a statement's, without its wait for a connection. */
export async function timed<T>(
  timings: RequestTimings,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const startedAtMs = performance.now();
  const waitedMs = timings.connectionMs;
  try {
    return await work();
  } finally {
    const tookMs = performance.now() - startedAtMs;
    timings.addStatement(name, Math.max(0, tookMs - (timings.connectionMs - waitedMs)));
  }
}

/** Counts the time until the end of `connected` as a wait for a connection. */
export async function waited<T>(timings: RequestTimings, connected: Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  try {
    return await connected;
  } finally {
    timings.connectionMs += performance.now() - startedAtMs;
  }
}
