import type { DataSource } from 'typeorm';
import { QueryPool, type QueryPoolOptions } from '../query-pool';
import { Database } from '../database';
import { type Sharing, TextBatcher } from '../text-batcher';
import { queryTexts, type Statement, type TextRow } from '../text-query';
import type { Replica } from './replica';

/**
 * A database that sends reads that may be stale to a replica. Otherwise it behaves like `Database`.
 */
export class ReplicatedDatabase extends Database {
  private readonly replicaBatcher = new TextBatcher(({ statement, valuesOfEach }) =>
    queryTexts(this.replica.pool, statement, valuesOfEach),
  );

  constructor(
    dataSource: DataSource,
    prepares: boolean,
    private readonly replica: Replica,
  ) {
    super(dataSource, prepares);
  }

  override run<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return this.read(
      () => this.replica.run<Row>(statement, values),
      () => super.run<Row>(statement, values),
    );
  }

  override runForText(
    statement: Statement,
    values: readonly (string | number | null)[],
    sharing: Sharing,
  ): Promise<TextRow | undefined> {
    return this.read(
      () => this.replicaBatcher.run(statement, values, sharing),
      () => super.runForText(statement, values, sharing),
    );
  }

  private read<T>(onReplica: () => Promise<T>, onPrimary: () => Promise<T>): Promise<T> {
    return this.isInTransaction ? onPrimary() : this.replica.reads.read(onReplica, onPrimary);
  }
}

/** Like `ReplicatedDatabase`, for queries with a timeout. */
export class ReplicatedQueries extends QueryPool {
  constructor(
    options: QueryPoolOptions,
    private readonly replica: Replica,
  ) {
    super(options);
  }

  override run<Row extends object>(...query: Parameters<QueryPool['run']>): Promise<Row[]> {
    return this.replica.reads.read(
      () => this.replica.queries.run<Row>(...query),
      () => super.run<Row>(...query),
    );
  }

  override runForText(...query: Parameters<QueryPool['runForText']>): Promise<TextRow | undefined> {
    return this.replica.reads.read(
      () => this.replica.queries.runForText(...query),
      () => super.runForText(...query),
    );
  }
}
