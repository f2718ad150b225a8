import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import { to } from 'pg-copy-streams';
import { BudgetExceededError } from './budgeted-queries';
import type { ConnectionWatch } from './connection-watch';
import { GuardedClient } from './guarded-client';
import { startupOptions, UNHURRIED } from './session-settings';
import { typeParsers } from './type-parsers';
import type { WorkBudget } from './work-budget';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One snapshot of the database, on a connection of its own that nothing else waits for. Once it is
 * closed PostgreSQL ends what it is at within a second, also where it has nothing to send yet.
 */
export class SnapshotConnection {
  private constructor(private readonly client: Client) {
    // What is in progress fails by itself; without a listener the fault would end the process.
    client.on('error', () => undefined);
  }

  /** @param timeoutMs What a statement may take; whatever is set for the role does not count. */
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
        ...UNHURRIED,
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

  /** Takes the snapshot anew, and reads by it. */
  async begin<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    await this.client.query('ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return (await this.client.query<Row>(text, [...values])).rows;
  }

  /**
   * Gives what a `COPY … TO STDOUT` copies, as fast as it is read; at the end the number of rows.
   * The snapshot is let go of then.
   * @param settings Statements that say how it is to be planned; may be empty.
   * @param budget What PostgreSQL may take for it, if not as long as the connection may.
   * @throws BudgetExceededError
   */
  async *copy(
    statement: string,
    settings: string,
    budget?: WorkBudget,
  ): AsyncGenerator<Buffer, number> {
    if (settings !== '') await this.client.query(settings);
    const copy = this.client.query(to(statement));
    // Where the connection is closed before all is read there is nobody to be told.
    copy.on('error', () => undefined);
    yield* budget ? this.within(budget, copy) : (copy as AsyncIterable<Buffer>);
    // The stream ends before PostgreSQL has said that all went well.
    await this.client.query('COMMIT');
    return copy.rowCount;
  }

  private async *within(budget: WorkBudget, copy: Readable): AsyncGenerator<Buffer> {
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

function outOfTime(cause?: unknown): BudgetExceededError {
  return new BudgetExceededError('The export timed out.', { cause });
}
