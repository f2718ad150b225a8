import { AsyncLocalStorage } from 'node:async_hooks';

/** Executions of one named statement in one request. */
export interface StatementTime {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
}

/** Statements that only take a lock. Their duration is the time they wait for it. */
const LOCK_STATEMENT = /(^|-)(lock|hold)(-|$)/;
const MAX_REPORTED = 8;

/** Time breakdown of one request, in milliseconds. */
export class RequestTimings {
  /** Statements and transactions, from sending to the response, including waits for locks. */
  databaseMs = 0;
  /** Waits for a pooled connection, and for opening new ones. */
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

  /** The slowest statements, slowest first. */
  get slowest(): StatementTime[] {
    return [...this.statements]
      .map(([name, { count, ms }]) => ({ name, count, ms: rounded(ms) }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, MAX_REPORTED);
  }
}

/** Rounds to hundredths of a millisecond. */
export function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/**
 * Whether timings are collected for all requests. From Node 24 on, an async context costs a request
 * about one microsecond. Earlier versions track every promise of the process while a context is in
 * use, about 13 µs per request. There, reads, creates and imports of rows are excluded.
 */
const FOLLOWS_ALL = Number(process.versions.node.split('.')[0]) >= 24;
const CREATE_PATH = /\/(?:rows|records)(?:\/import)?(?:\?|$)/;

const storage = new AsyncLocalStorage<RequestTimings>();
let collecting = 0;

/** Returns whether database timings are collected for a request. */
export function shouldCollectTimings(method: string, url: string): boolean {
  if (FOLLOWS_ALL) return true;
  return method !== 'GET' && method !== 'HEAD' && !(method === 'POST' && CREATE_PATH.test(url));
}

/**
 * Runs the rest of a request with its timings as async context. Call `stopCollecting` when it is
 * over.
 */
export function runWithTimings(timings: RequestTimings, work: () => void): void {
  collecting += 1;
  storage.run(timings, work);
}

/** Call it once for every `collectTimings`, when the request is over. */
export function stopCollecting(): void {
  collecting -= 1;
  if (collecting === 0 && !FOLLOWS_ALL) storage.disable();
}

/** Returns the timings of the current request; `undefined` if they are not collected. */
export function currentTimings(): RequestTimings | undefined {
  return collecting === 0 ? undefined : storage.getStore();
}

/** Counts the duration of `work` as a statement, without its waits for a connection. */
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

/** Counts the time until `connected` settles as a wait for a connection. */
export async function waited<T>(timings: RequestTimings, connected: Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  try {
    return await connected;
  } finally {
    timings.connectionMs += performance.now() - startedAtMs;
  }
}
