import { pipeline } from 'node:stream/promises';
import { escapeIdentifier, escapeLiteral, type QueryResult, type QueryResultRow } from 'pg';
import { from } from 'pg-copy-streams';
import { GuardedClient } from '../../../platform/database/guarded-client';
import type { AddressPolicy } from '../../../platform/outbound/address-policy';
import { CheckedSocket } from '../../../platform/outbound/checked-socket';
import type { Resolver } from '../../../platform/outbound/host-resolver';
import type { CsvLines } from '../destination';
import { postgresqlError } from './postgresql-error';
import type { PostgresqlSettings } from './postgresql-settings';

const KEEP_ALIVE_MS = 30_000;
const LOCK_TIMEOUT_MS = 30_000;
/** A worker that is frozen in a transaction loses its connection, and with it the lock. */
const IDLE_TIMEOUT_MS = 60_000;
/** Maximum number of bytes that the server may send for one statement. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const CHECK_MS = 1_000;

/** Limits of time, in milliseconds. */
export interface PostgresqlTimeouts {
  readonly connect: number;
  /** Of a statement that writes nothing or one part. */
  readonly part: number;
  /** Of a statement for a whole table. */
  readonly table: number;
}

const TIMEOUTS: PostgresqlTimeouts = { connect: 10_000, part: 300_000, table: 3_600_000 };
/** Time that the server has to report that a statement took too long. */
const REPORT_MS = 5_000;

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

/**
 * A connection to a PostgreSQL of a user. It needs no session state outside of transactions, so that
 * poolers can share its session. All methods throw `DestinationError`.
 */
export class PostgresqlSession {
  private receivedBefore = 0;
  private size: TransactionSize = 'part';
  private awaited: object | null = null;
  private awaitedSinceMs = 0;
  private readonly watch: NodeJS.Timeout;

  private constructor(
    private readonly client: GuardedClient,
    private readonly timeouts: PostgresqlTimeouts,
  ) {
    // A statement in progress fails on its own. Without a listener, the error would end the process.
    client.on('error', () => undefined);
    this.watch = setInterval(() => {
      this.check();
    }, CHECK_MS).unref();
  }

  /** @param name Name by which the server lists the session. */
  static async open(access: PostgresqlAccess, name: string): Promise<PostgresqlSession> {
    const { settings, password, policy, resolve, timeouts = TIMEOUTS } = access;
    const { host, port, database, user, tls, caCertificate } = settings;
    const client = new GuardedClient({
      host,
      port,
      database,
      user,
      // `pg` would take a password from the environment or a file of the service.
      password: password ?? '',
      application_name: name,
      connectionTimeoutMillis: timeouts.connect,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ssl: tls
        ? { rejectUnauthorized: true, ...(caCertificate !== null && { ca: caCertificate }) }
        : false,
      stream: () => new CheckedSocket(policy, { resolve, onlyAllowedPrivate: !tls }),
    });
    const session = new PostgresqlSession(client, timeouts);
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
    return (await this.send(text, values)).rowCount ?? 0;
  }

  /** Runs one statement and returns its rows. */
  async query<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    return (await this.send<Row>(text, values)).rows;
  }

  /** Copies lines into a table. A failure of the lines is thrown as it is. */
  async copy(statement: string, lines: CsvLines): Promise<void> {
    this.receivedBefore = this.client.receivedBytes;
    let failure: { readonly error: unknown } | undefined;
    const source = async function* (): AsyncGenerator<Buffer> {
      try {
        yield* lines;
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    try {
      await pipeline(source, this.client.query(from(statement)));
    } catch (error) {
      if (failure) throw failure.error;
      throw postgresqlError(error);
    }
  }

  /** Runs `work` in a transaction. */
  async transaction<T>(size: TransactionSize, work: () => Promise<T>): Promise<T> {
    this.size = size;
    await this.run(`
      BEGIN;
      SET LOCAL TimeZone = 'UTC';
      SET LOCAL DateStyle = 'ISO';
      SET LOCAL standard_conforming_strings = on;
      SET LOCAL client_min_messages = error;
      SET LOCAL lock_timeout = ${String(LOCK_TIMEOUT_MS)};
      SET LOCAL idle_in_transaction_session_timeout = ${String(IDLE_TIMEOUT_MS)};
      SET LOCAL statement_timeout = ${String(this.timeouts[size])}`);
    try {
      const result = await work();
      await this.run('COMMIT');
      return result;
    } catch (error) {
      // The connection may be lost.
      await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.size = 'part';
    }
  }

  /** Closes the connection, even if a statement is in progress. */
  close(): void {
    clearInterval(this.watch);
    const closed = this.client.end().catch(() => undefined);
    const timer = setTimeout(() => {
      this.client.destroy(new Error('The connection was closed.'));
    }, CHECK_MS).unref();
    void closed.finally(() => {
      clearTimeout(timer);
    });
  }

  /** Closes the connection if the server sends too much, or does not respond at all. */
  private check(): void {
    const { awaitedQuery, receivedBytes } = this.client;
    if (receivedBytes - this.receivedBefore > MAX_RESPONSE_BYTES) {
      this.client.destroy(new Error('The server sent too much.'));
    }
    if (awaitedQuery !== this.awaited) {
      this.awaited = awaitedQuery;
      this.awaitedSinceMs = performance.now();
    }
    const maxMs = this.timeouts[this.size] + REPORT_MS;
    if (this.awaited && performance.now() - this.awaitedSinceMs > maxMs) {
      this.client.destroy(Object.assign(new Error('No response.'), { code: 'ETIMEDOUT' }));
    }
  }

  private async send<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    this.receivedBefore = this.client.receivedBytes;
    try {
      return await this.client.query<Row>(text, values && [...values]);
    } catch (error) {
      throw postgresqlError(error);
    }
  }
}
