import type { DataSource } from 'typeorm';
import type { Tracing } from '../tracing/tracing';
import { BudgetedQueries } from './budgeted-queries';
import { Database } from './database';
import type { Statement } from './statement';
import type { TextRow } from './text-query';

/** Traces each statement by its name, and transactions. */
export class TracedDatabase extends Database {
  constructor(
    dataSource: DataSource,
    private readonly tracing: Tracing,
  ) {
    super(dataSource);
  }

  override run<Row extends object>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    return this.tracing.database(statement.name, () => super.run<Row>(statement, values));
  }

  override runForText(
    statement: Statement,
    values: readonly (string | number)[],
  ): Promise<TextRow | undefined> {
    return this.tracing.database(statement.name, () => super.runForText(statement, values));
  }

  override runOnce<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.database('unnamed', () => super.runOnce<Row>(text, values));
  }

  override transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.isInTransaction) return super.transaction(work);
    return this.tracing.database('transaction', () => super.transaction(work));
  }
}

/** Traces filtered and sorted reads, whose texts have no names. */
export class TracedQueries extends BudgetedQueries {
  constructor(
    options: ConstructorParameters<typeof BudgetedQueries>[0],
    private readonly tracing: Tracing,
  ) {
    super(options);
  }

  override run<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.database('filtered-read', () => super.run<Row>(text, values));
  }
}
