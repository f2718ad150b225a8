import { currentTimings, type RequestTimings, timed } from '../time/request-timings';
import type { Tracing } from '../tracing/tracing';
import type { QueryPool, RunScan } from './query-pool';
import type { Database } from './database';
import type { Sharing } from './text-batcher';
import type { Statement } from './text-query';

/**
 * Adds the time of each statement and transaction to the timings of the request that waits for it.
 */
export function timedDatabase(database: Database): Database {
  const run = database.run.bind(database);
  const runForText = database.runForText.bind(database);
  const runOnce = database.runOnce.bind(database);
  const transaction = database.transaction.bind(database);
  return Object.assign(database, {
    run: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      counted(statement.name, () => run<Row>(statement, values)),
    runForText: (
      statement: Statement,
      values: readonly (string | number | null)[],
      sharing: Sharing,
    ) => counted(statement.name, () => runForText(statement, values, sharing)),
    runOnce: <Row extends object>(text: string, values: readonly unknown[]) =>
      counted('unnamed', () => runOnce<Row>(text, values)),
    transaction: <T>(work: () => Promise<T>) => {
      const timings = currentTimings();
      if (!timings || database.isInTransaction) return transaction(work);
      return timedTransaction(timings, transaction, work);
    },
  });
}

/** Like `timedDatabase`, for filtered and sorted reads, whose statements have no names. */
export function timedQueries(queries: QueryPool): QueryPool {
  const run = queries.run.bind(queries);
  const runForText = queries.runForText.bind(queries);
  const runScans = queries.runScans.bind(queries);
  return Object.assign(queries, {
    run: <Row extends object>(...query: Parameters<typeof run>) =>
      counted('filtered-read', () => run<Row>(...query)),
    runForText: (...query: Parameters<typeof runForText>) =>
      counted('filtered-read', () => runForText(...query)),
    runScans: <T>(accountId: string, work: (runScan: RunScan) => Promise<T>) =>
      counted('filtered-read', () => runScans(accountId, work)),
  });
}

function counted<T>(name: string, work: () => Promise<T>): Promise<T> {
  const timings = currentTimings();
  return timings ? timed(timings, name, work) : work();
}

/** Measures the BEGIN and COMMIT of a transaction. Its statements are measured separately. */
async function timedTransaction<T>(
  timings: RequestTimings,
  transaction: (work: () => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  const startedAtMs = performance.now();
  const waitedMs = timings.connectionMs;
  let workMs = 0;
  try {
    return await transaction(async () => {
      const beganAtMs = performance.now();
      try {
        return await work();
      } finally {
        workMs += performance.now() - beganAtMs;
      }
    });
  } finally {
    const ownMs = performance.now() - startedAtMs - workMs;
    timings.addStatement('begin-commit', Math.max(0, ownMs - (timings.connectionMs - waitedMs)));
  }
}

/** Traces each statement of a database by name, and each transaction. */
export function traced(database: Database, tracing: Tracing): Database {
  const run = database.run.bind(database);
  const runForText = database.runForText.bind(database);
  const runOnce = database.runOnce.bind(database);
  const transaction = database.transaction.bind(database);
  return Object.assign(database, {
    run: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      tracing.database(statement.name, () => run<Row>(statement, values)),
    runForText: (
      statement: Statement,
      values: readonly (string | number | null)[],
      sharing: Sharing,
    ) => tracing.database(statement.name, () => runForText(statement, values, sharing)),
    runOnce: <Row extends object>(text: string, values: readonly unknown[]) =>
      tracing.database('unnamed', () => runOnce<Row>(text, values)),
    transaction: <T>(work: () => Promise<T>) =>
      database.isInTransaction
        ? transaction(work)
        : tracing.database('transaction', () => transaction(work)),
  });
}

/** Traces filtered and sorted reads, whose statements have no names. */
export function tracedQueries(queries: QueryPool, tracing: Tracing): QueryPool {
  const run = queries.run.bind(queries);
  const runForText = queries.runForText.bind(queries);
  const runScans = queries.runScans.bind(queries);
  return Object.assign(queries, {
    run: <Row extends object>(...query: Parameters<typeof run>) =>
      tracing.database('filtered-read', () => run<Row>(...query)),
    runForText: (...query: Parameters<typeof runForText>) =>
      tracing.database('filtered-read', () => runForText(...query)),
    runScans: <T>(accountId: string, work: (runScan: RunScan) => Promise<T>) =>
      tracing.database('filtered-read', () => runScans(accountId, work)),
  });
}
