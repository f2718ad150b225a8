import { escapeIdentifier, escapeLiteral, type QueryResult } from 'pg';
import type { AddressPolicy } from '../../platform/outbound/address-policy';
import { CheckedSocket } from '../../platform/outbound/checked-socket';
import type { Resolver } from '../../platform/outbound/host-resolver';
import { type CsvLines, onAbort } from '../destination';
import { BoundedClient, CopyQuery, type ResponseLimits } from './postgresql-client.repository';
import { postgresqlError } from './postgresql-error';
import type { PostgresqlSettings } from './postgresql-settings';
import { StreamQuery, type StreamedRow } from './postgresql-stream.repository';

const KEEP_ALIVE_MS = 30_000;
const LOCK_TIMEOUT_MS = 30_000;
/** A worker that is frozen in a transaction loses its connection, and with it the lock. */
const IDLE_TIMEOUT_MS = 60_000;
/** Maximum size of a response, unless a statement says more. */
const MAX_RESPONSE: ResponseLimits = { rows: 10_000, bytes: 1024 * 1024 };
const CLOSE_MS = 1_000;

/** Limits of time, in milliseconds. */
export interface PostgresqlTimeouts {
  readonly connect: number;
  /** Of a statement that writes nothing or one part. */
  readonly part: number;
  /** Of a statement for a whole table. */
  readonly table: number;
  /** Time that the server has to report that a statement took too long. Default: `REPORT_MS`. */
  readonly report?: number;
}

const TIMEOUTS: PostgresqlTimeouts = { connect: 10_000, part: 300_000, table: 3_600_000 };
const REPORT_MS = 5_000;
/** Maximum time in which a COPY makes no progress, although there are lines to send. */
const STALL_MS = 60_000;

/** How to connect to a server that a user chose. */
export interface PostgresqlAccess {
  readonly settings: PostgresqlSettings;
  readonly password: string | null;
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
  /** Default: `TIMEOUTS`. */
  readonly timeouts?: PostgresqlTimeouts;
}

/** How long the statements of a transaction may take. */
export type TransactionSize = 'part' | 'table';

export const quoted = (name: string): string => escapeIdentifier(name);
export const literal = (text: string): string => escapeLiteral(text);

/** A row of a result: a text for each column. The server may leave out any of them. */
export type TextRow = Readonly<Partial<Record<string, string | null>>>;

/**
 * A connection to a PostgreSQL of a user. It needs no session state outside of transactions, so that
 * poolers can share its session. All methods throw `DestinationError`. Whatever the server sends or
 * does not send, each statement ends, with a response of limited size: a statement that fails by a
 * limit closes the connection.
 */
export class PostgresqlSession {
  private size: TransactionSize = 'part';
  /** Why the connection can no longer be used. */
  private failure: Error | null = null;
  private abort: ((error: Error) => void) | null = null;
  private deadline: NodeJS.Timeout | undefined;

  private constructor(
    private readonly client: BoundedClient,
    private readonly timeouts: PostgresqlTimeouts,
  ) {
    // Without a listener, the error would end the process.
    client.on('error', (error) => {
      this.fail(error);
    });
    client.on('end', () => {
      this.fail(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }));
    });
  }

  /**
   * @param name Name by which the server lists the session.
   * @param signal Closes the session, also while it is opened.
   */
  static async open(
    access: PostgresqlAccess,
    name: string,
    signal?: AbortSignal,
  ): Promise<PostgresqlSession> {
    const { settings, password, policy, resolve, timeouts = TIMEOUTS } = access;
    const { host, port, database, user, tls, caCertificate } = settings;
    const client = new BoundedClient(
      {
        host,
        port,
        database,
        user,
        // `pg` replaces an empty text by a password from the environment or a file of the service.
        password: () => password ?? '',
        sslnegotiation: 'postgres',
        application_name: name,
        connectionTimeoutMillis: timeouts.connect,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        ssl: tls
          ? { rejectUnauthorized: true, ...(caCertificate !== null && { ca: caCertificate }) }
          : false,
        stream: () => new CheckedSocket(policy, { resolve, onlyAllowedPrivate: !tls }),
      },
      MAX_RESPONSE,
    );
    const session = new PostgresqlSession(client, timeouts);
    onAbort(signal, () => {
      session.cancel();
    });
    try {
      await client.connect();
    } catch (error) {
      session.close();
      throw postgresqlError(error);
    }
    return session;
  }

  /** Runs one statement, or several without parameters. @returns the number of rows. */
  async run(text: string, values?: readonly unknown[]): Promise<number> {
    const result = await this.send(text, values, MAX_RESPONSE);
    return Array.isArray(result) ? 0 : (result.rowCount ?? 0);
  }

  /**
   * Runs one statement and returns its rows.
   * @param limits The connection is closed if the response is larger.
   */
  async query(
    text: string,
    values?: readonly unknown[],
    limits: ResponseLimits = MAX_RESPONSE,
  ): Promise<readonly TextRow[]> {
    const result = await this.send(text, values, limits);
    if (Array.isArray(result)) throw postgresqlError(new Error('Several results.'));
    return result.rows;
  }

  /** Copies lines into a table. A failure of the lines is thrown as it is. */
  async copy(statement: string, lines: CsvLines): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    const source = async function* (): AsyncGenerator<Buffer> {
      try {
        yield* lines;
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    let leftMs = this.maxMs;
    /** Only the time in which the server is awaited counts, not that of the lines. */
    const waitFor = async (work: Promise<void>, maxMs = leftMs): Promise<void> => {
      const startMs = performance.now();
      await this.waitFor(work, Math.min(maxMs, leftMs));
      leftMs -= performance.now() - startMs;
    };
    this.client.expect(MAX_RESPONSE);
    const query = new CopyQuery(statement);
    try {
      this.client.query(query);
      await waitFor(query.accepted);
      for await (const buffer of source()) {
        for (const sent of query.send(buffer)) await waitFor(sent, STALL_MS);
      }
      query.end();
      await waitFor(query.completed);
    } catch (error) {
      query.cancel();
      if (failure) throw failure.error;
      throw postgresqlError(error);
    }
  }

  /** Runs `work` in a transaction. */
  async transaction<T>(size: TransactionSize, work: () => Promise<T>): Promise<T> {
    await this.begin(size);
    try {
      const result = await work();
      await this.run('COMMIT');
      return result;
    } catch (error) {
      // The connection may be lost.
      await this.send('ROLLBACK', undefined, MAX_RESPONSE, this.timeouts.connect).catch(
        () => undefined,
      );
      throw error;
    } finally {
      this.size = 'part';
    }
  }

  /** Begins a transaction that ends with the connection. It can write nothing. */
  async beginReadOnly(): Promise<void> {
    await this.begin('table', 'READ ONLY');
    // Otherwise a query goes on after its connection was closed. PostgreSQL 13 does not have it.
    await this.run(`
      SELECT set_config(name, '5s', true) FROM pg_settings
      WHERE name = 'client_connection_check_interval'`);
  }

  /**
   * Runs one statement that returns rows, and yields them as they are read. Nothing else can run until
   * it ends.
   */
  async *stream(query: StreamQuery): AsyncGenerator<readonly StreamedRow[]> {
    this.client.query(query);
    for (;;) {
      const rows = await this.waitFor(query.next(), this.maxMs);
      if (!rows) return;
      yield rows;
    }
  }

  /** Returns a statement for `stream`. @param limits Those of one row. */
  streamOf(text: string, limits: ResponseLimits): StreamQuery {
    return new StreamQuery(text, () => {
      this.client.expect(limits);
    });
  }

  /**
   * Closes the connection after a time in which a statement may run and be read, however much the server
   * sends meanwhile. The server should report before that it took too long.
   */
  endAfter(ms: number): void {
    this.deadline = setTimeout(
      () => {
        this.fail(Object.assign(new Error('No end of the response.'), { code: 'ETIMEDOUT' }));
      },
      ms + (this.timeouts.report ?? REPORT_MS),
    ).unref();
  }

  /** Closes the connection at once. The statement that is awaited fails, and all later ones. */
  cancel(): void {
    this.fail(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }));
  }

  /** Closes the connection, even if a statement is in progress. */
  close(): void {
    clearTimeout(this.deadline);
    const closed = this.client.end().catch(() => undefined);
    const timer = setTimeout(() => {
      this.client.destroy(new Error('The connection was closed.'));
    }, CLOSE_MS).unref();
    void closed.finally(() => {
      clearTimeout(timer);
    });
  }

  private async begin(size: TransactionSize, mode = ''): Promise<void> {
    this.size = size;
    await this.run(`
      BEGIN ${mode};
      SET LOCAL TimeZone = 'UTC';
      SET LOCAL DateStyle = 'ISO';
      SET LOCAL standard_conforming_strings = on;
      SET LOCAL client_min_messages = error;
      SET LOCAL lock_timeout = ${String(LOCK_TIMEOUT_MS)};
      SET LOCAL idle_in_transaction_session_timeout = ${String(IDLE_TIMEOUT_MS)};
      SET LOCAL statement_timeout = ${String(this.timeouts[size])}`);
  }

  /** Maximum time of a statement. The server should report before that it took too long. */
  private get maxMs(): number {
    const { report = REPORT_MS } = this.timeouts;
    return this.timeouts[this.size] + report;
  }

  private async send(
    text: string,
    values: readonly unknown[] | undefined,
    limits: ResponseLimits,
    maxMs = this.maxMs,
  ): Promise<QueryResult<TextRow> | QueryResult<TextRow>[]> {
    this.client.expect(limits);
    // The simple protocol would run several statements of one text.
    const query = values ? { text, values: [...values], queryMode: 'extended' } : { text };
    return this.waitFor(this.client.query<TextRow>(query), maxMs);
  }

  /** Waits for the server. Closes the connection if that takes too long. */
  private async waitFor<T>(work: Promise<T>, maxMs: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        work.then(resolve, reject);
        if (this.failure) reject(this.failure);
        this.abort = reject;
        timer = setTimeout(() => {
          this.fail(Object.assign(new Error('No response.'), { code: 'ETIMEDOUT' }));
        }, maxMs);
      });
    } catch (error) {
      throw postgresqlError(error);
    } finally {
      clearTimeout(timer);
      this.abort = null;
    }
  }

  /** Closes the connection. Fails the statement that is awaited, and all later ones. */
  private fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    this.client.destroy(error);
    this.abort?.(error);
  }
}
