import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import { to } from 'pg-copy-streams';
import { QueryTimeoutError } from './query-pool';
import type { ConnectionWatch } from './connection-watch';
import { GuardedClient } from './guarded-client';
import { startupOptions, typeParsers, NO_TIMEOUTS } from './session-settings';
import type { OutputTimeBudget } from './database';
import { copyFrom } from './text-query';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One snapshot of the database, on a dedicated connection that blocks no other request. After the
 * connection closes, PostgreSQL cancels the statement in progress within a second, even if it has
 * nothing to send yet.
 */
export class SnapshotConnection {
  private constructor(private readonly client: Client) {
    // A statement in progress fails on its own. Without a listener, the error would end the
    // process.
    client.on('error', () => undefined);
  }

  /**
   * Opens a connection. A snapshot starts with `begin`.
   * @param timeoutMs Statement timeout. It overrides the role's settings.
   */
  static async open(
    url: string,
    timeoutMs: number,
    watch: ConnectionWatch,
  ): Promise<SnapshotConnection> {
    const client = new GuardedClient({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      types: typeParsers,
      options: startupOptions({
        ...NO_TIMEOUTS,
        statement_timeout: String(timeoutMs),
        client_connection_check_interval: '1000',
        standard_conforming_strings: 'on',
        plan_cache_mode: 'auto',
        jit: 'off',
      }),
    });
    const connection = new SnapshotConnection(client);
    await client.connect();
    watch.add(client, timeoutMs);
    return connection;
  }

  /** Starts a new snapshot and runs a query in it. */
  async begin<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    await this.client.query('ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return this.query<Row>(text, values);
  }

  /** Runs a query in the snapshot. */
  async query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(text, [...values])).rows;
  }

  /** Yields the output of a `COPY … TO STDOUT` in the snapshot. See `copyFrom`. */
  copy(statement: string): AsyncIterable<Buffer> {
    return copyFrom(this.client, statement);
  }

  /**
   * Yields the output of a `COPY … TO STDOUT` as fast as it is read, then releases the snapshot.
   * @param settings Planner settings as SQL statements. May be empty.
   * @param budget Time limit for PostgreSQL's work. If omitted, the connection's timeout applies.
   * @returns the number of rows.
   * @throws QueryTimeoutError if PostgreSQL exceeds `budget`.
   */
  async *copyAndEnd(
    statement: string,
    settings: string,
    budget?: OutputTimeBudget,
  ): AsyncGenerator<Buffer, number> {
    if (settings !== '') await this.client.query(settings);
    const copy = this.client.query(to(statement));
    // If the connection is closed before everything is read, no caller is left to receive the
    // error.
    copy.on('error', () => undefined);
    yield* budget ? this.within(budget, copy) : (copy as AsyncIterable<Buffer>);
    // The stream ends before PostgreSQL confirms success.
    await this.client.query('COMMIT');
    return copy.rowCount;
  }

  private async *within(budget: OutputTimeBudget, copy: Readable): AsyncGenerator<Buffer> {
    const parts = (copy as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    const over = new AbortController();
    const giveUp = (): void => {
      over.abort();
      this.close();
      copy.destroy();
    };
    for (;;) {
      const part = await budget.next(parts, giveUp).catch((error: unknown) => {
        throw over.signal.aborted ? outOfTime(error) : error;
      });
      if (over.signal.aborted) throw outOfTime();
      if (part.done === true) return;
      yield part.value;
    }
  }

  close(): void {
    void this.client.end().catch(() => undefined);
  }
}

function outOfTime(cause?: unknown): QueryTimeoutError {
  return new QueryTimeoutError('The export timed out.', { cause });
}
