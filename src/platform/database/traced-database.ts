import type { Tracing } from '../tracing/tracing';
import type { BudgetedQueries } from './budgeted-queries';
import type { Database } from './database';
import type { Statement } from './statement';

/** Traces each statement of a database by name, and each transaction. */
export function traced(database: Database, tracing: Tracing): Database {
  const run = database.run.bind(database);
  const runForText = database.runForText.bind(database);
  const runOnce = database.runOnce.bind(database);
  const transaction = database.transaction.bind(database);
  return Object.assign(database, {
    run: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      tracing.database(statement.name, () => run<Row>(statement, values)),
    runForText: (statement: Statement, values: readonly (string | number)[]) =>
      tracing.database(statement.name, () => runForText(statement, values)),
    runOnce: <Row extends object>(text: string, values: readonly unknown[]) =>
      tracing.database('unnamed', () => runOnce<Row>(text, values)),
    transaction: <T>(work: () => Promise<T>) =>
      database.isInTransaction
        ? transaction(work)
        : tracing.database('transaction', () => transaction(work)),
  });
}

/** Traces filtered and sorted reads, whose statements have no names. */
export function tracedQueries(queries: BudgetedQueries, tracing: Tracing): BudgetedQueries {
  const run = queries.run.bind(queries);
  return Object.assign(queries, {
    run: <Row extends object>(...query: Parameters<typeof run>) =>
      tracing.database('filtered-read', () => run<Row>(...query)),
  });
}
