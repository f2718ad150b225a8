/**
 * Default of each database pool for each worker. Fewer make requests wait that could share an exchange
 * with PostgreSQL. With more, four workers would need more connections than PostgreSQL allows by default.
 */
export const DEFAULT_POOL_PER_WORKER = 7;

/**
 * Limits of an instance that its workers divide: each gets an equal part, rounded down. The number is
 * the smallest part with which a worker can serve requests of several accounts.
 */
const DIVIDED = {
  DATABASE_POOL_SIZE: 4,
  DATABASE_MAX_WAITING: 2,
  MAX_CONCURRENT_REQUESTS: 4,
  MAX_LIVE_READERS: 2,
  MAX_CONNECTIONS: 16,
  MAX_BUFFERED_BYTES: 1024 * 1024,
} as const;

type DividedName = keyof typeof DIVIDED;

/**
 * Smallest number of background runs of a worker. An account may have half of them, so a single one
 * would leave no room for other accounts.
 */
const MIN_RUNS = 2;
/** The same for deliveries: a quarter as many are for endpoints that fail. */
const MIN_DELIVERIES = 8;

/** Syncs at a time while destinations are slow, as a multiple of MAX_CONCURRENT_SYNCS. */
const SYNC_FACTOR = 4;
/** Connections of each worker for notifications and for checks. */
const OTHERS = 3;

/** Returns a message for each limit that is too small to be divided. */
export function dividedProblems(
  values: Readonly<Record<DividedName | 'WORKERS', number>>,
): string[] {
  const { WORKERS: workers } = values;
  if (workers === 1) return [];
  return Object.entries(DIVIDED).flatMap(([name, min]) => {
    const value = values[name as DividedName];
    if (value >= workers * min) return [];
    const needed = `must be at least ${String(workers * min)} with WORKERS=${String(workers)}`;
    return [`${name} ${needed}: each worker needs ${String(min)} (it is "${String(value)}")`];
  });
}

/**
 * Returns the part of `total` background runs for one of several workers. Workers have at least `min`
 * or none, so that an account's half of each is half of all.
 */
function runsOf(total: number, min: number, { number, count }: WorkerPlace): number {
  const holders = holdersOf(total, min, count);
  if (number > holders) return 0;
  return Math.floor(total / holders) + (number <= total % holders ? 1 : 0);
}

function holdersOf(total: number, min: number, workers: number): number {
  return Math.min(workers, Math.max(1, Math.floor(total / min)));
}

/** A worker among those of its instance. */
export interface WorkerPlace {
  /** From 1. A worker that replaces another has the same number. */
  readonly number: number;
  readonly count: number;
}

/** Limits of an instance of which each worker has a part. */
export interface WorkerLimits {
  readonly databasePoolSize: number;
  readonly databaseMaxWaiting: number;
  readonly maxConcurrentRequests: number;
  readonly maxLiveReaders: number;
  readonly maxConnections: number;
  readonly maxBufferedBytes: number;
  readonly maxConcurrentDeliveries: number;
  readonly maxDeliveriesPerSecond: number;
  readonly maxConcurrentSyncs: number;
  readonly maxConcurrentScheduledImports: number;
}

/** Returns the part of one worker of each limit. */
export function workerShare(config: WorkerLimits, place: WorkerPlace): WorkerLimits {
  const part = (total: number): number => Math.floor(total / place.count);
  const deliveryHolders = holdersOf(config.maxConcurrentDeliveries, MIN_DELIVERIES, place.count);
  return {
    databasePoolSize: part(config.databasePoolSize),
    databaseMaxWaiting: part(config.databaseMaxWaiting),
    maxConcurrentRequests: part(config.maxConcurrentRequests),
    maxLiveReaders: part(config.maxLiveReaders),
    maxConnections: part(config.maxConnections),
    maxBufferedBytes: part(config.maxBufferedBytes),
    maxConcurrentDeliveries: runsOf(config.maxConcurrentDeliveries, MIN_DELIVERIES, place),
    maxDeliveriesPerSecond: config.maxDeliveriesPerSecond / deliveryHolders,
    maxConcurrentSyncs: runsOf(config.maxConcurrentSyncs, MIN_RUNS, place),
    maxConcurrentScheduledImports: runsOf(config.maxConcurrentScheduledImports, MIN_RUNS, place),
  };
}

/** Settings by which the connections of an instance are computed. */
interface ConnectionUse {
  readonly databasePoolSize: number;
  readonly maxConcurrentImports: number;
  readonly maxConcurrentExports: number;
  readonly maxConcurrentSyncs: number;
  readonly workers: number;
}

/**
 * Returns the number of connections that an instance opens at most, as docs/operations.md has it.
 * @param isPooled Whether the pools lead to a pooler, and do not count.
 */
export function maxDatabaseConnections(config: ConnectionUse, isPooled: boolean): number {
  const pools = isPooled ? 0 : 2 * config.databasePoolSize;
  const streams = config.maxConcurrentImports + config.maxConcurrentExports;
  return pools + streams + SYNC_FACTOR * config.maxConcurrentSyncs + OTHERS * config.workers;
}
