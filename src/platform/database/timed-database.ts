import { currentTimings, timed, type RequestTimings } from '../time/request-timings';
import type { BudgetedQueries } from './budgeted-queries';
import type { Database } from './database';
import type { Statement } from './statement';

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
    runForText: (statement: Statement, values: readonly (string | number)[]) =>
      counted(statement.name, () => runForText(statement, values)),
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
export function timedQueries(queries: BudgetedQueries): BudgetedQueries {
  const run = queries.run.bind(queries);
  return Object.assign(queries, {
    run: <Row extends object>(...query: Parameters<typeof run>) =>
      counted('filtered-read', () => run<Row>(...query)),
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
