import type { AddressPolicy } from '../../platform/outbound/address-policy';
import type { Resolver } from '../../platform/outbound/host-resolver';
import { DestinationError, onAbort } from '../destination';
import { createConnection, type DriverConnection } from './snowflake-driver';
import { integerOf } from '../stored-integer';
import { snowflakeError } from './snowflake-error';
import { SnowflakeHttp } from './snowflake-http';
import { type ResponseLimits, type Row, SOME_ROWS } from './snowflake-response';
import { type SnowflakeSettings, urlOf } from './snowflake-settings';

/** Limits of time, in milliseconds. */
export interface SnowflakeTimeouts {
  readonly connect: number;
  /** Of a statement that writes nothing or one part. */
  readonly part: number;
  /** Of a statement for a whole table. */
  readonly table: number;
}

const TIMEOUTS: SnowflakeTimeouts = { connect: 30_000, part: 300_000, table: 3_600_000 };
/** Time that the server has to report that a statement took too long. */
const REPORT_MS = 10_000;
const LOCK_TIMEOUT_SECONDS = 60;

/** How to connect to an account that a user chose. */
export interface SnowflakeAccess {
  readonly settings: SnowflakeSettings;
  /** Private key, token or password. */
  readonly secret: string | null;
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
  /** Default: `TIMEOUTS`. */
  readonly timeouts?: SnowflakeTimeouts;
}

/** How long statements may take. */
export type StatementSize = 'part' | 'table';

/** Parameters of every statement. They do not depend on those of the user or the account. */
const PARAMETERS = {
  QUERY_TAG: 'datagrid sync',
  TIMEZONE: 'UTC',
  DATE_INPUT_FORMAT: 'AUTO',
  TIMESTAMP_INPUT_FORMAT: 'AUTO',
  LOCK_TIMEOUT: LOCK_TIMEOUT_SECONDS,
  // What nobody waits for anymore ends.
  ABORT_DETACHED_QUERY: true,
  AUTOCOMMIT: true,
} as const;

/** What the driver reports. */
interface Outcome {
  readonly error: unknown;
  readonly result?: unknown;
}

/** A session of Snowflake. All methods throw `DestinationError`. The first network failure ends it. */
export class SnowflakeSession {
  private maxMs: number;
  private isBusy = false;

  private constructor(
    private readonly http: SnowflakeHttp,
    private readonly connection: DriverConnection,
    private readonly timeouts: SnowflakeTimeouts,
  ) {
    this.maxMs = timeouts.part;
  }

  /** @param signal Ends the session, also while it is opened. */
  static async open(access: SnowflakeAccess, signal?: AbortSignal): Promise<SnowflakeSession> {
    const { settings, secret, policy, resolve, timeouts = TIMEOUTS } = access;
    const http = new SnowflakeHttp({ url: urlOf(settings), policy, resolve });
    onAbort(signal, () => {
      http.fail(new DestinationError('unavailable', 'The connection timed out.'));
    });
    try {
      const connection = await createConnection(settings, secret, http);
      const session = new SnowflakeSession(http, connection, timeouts);
      await session.wait(SOME_ROWS, timeouts.connect, (done) => {
        connection.connect(done);
      });
      return session;
    } catch (error) {
      await http.close();
      throw snowflakeError(error);
    }
  }

  /** Returns whether the session can no longer be used. */
  get isClosed(): boolean {
    return this.http.failure !== undefined;
  }

  /** Runs one statement. @returns the number of rows that it has changed, if it changes rows. */
  async run(text: string, binds: readonly string[] = []): Promise<number> {
    const [first] = await this.send(text, binds, SOME_ROWS);
    const count = first?.[0] ?? '';
    return /^\d+$/.test(count) ? integerOf(count) : 0;
  }

  /** Runs one statement and returns its rows, each with a text for each column. */
  query(
    text: string,
    binds: readonly string[] = [],
    limit: ResponseLimits = SOME_ROWS,
  ): Promise<readonly Row[]> {
    return this.send(text, binds, limit);
  }

  /** Limits the time of the statements that follow. */
  limit(size: StatementSize): void {
    this.maxMs = this.timeouts[size];
  }

  /** Runs `work` in a transaction. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('BEGIN TRANSACTION');
    try {
      const result = await work();
      await this.run('COMMIT');
      return result;
    } catch (error) {
      // The session may be lost.
      await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** Ends the session, even if a statement is in progress. Never throws. */
  async close(): Promise<void> {
    if (!this.isClosed && !this.isBusy) {
      await this.wait(SOME_ROWS, this.timeouts.connect, (done) => {
        this.connection.destroy(done);
      }).catch(() => undefined);
    }
    await this.http.close();
  }

  private async send(
    text: string,
    binds: readonly string[],
    limit: ResponseLimits,
  ): Promise<readonly Row[]> {
    const maxMs = this.maxMs;
    try {
      const rows = await this.wait(limit, maxMs + REPORT_MS, (done) => {
        this.connection.execute({
          sqlText: text,
          ...(binds.length > 0 && { binds }),
          parameters: { ...PARAMETERS, STATEMENT_TIMEOUT_IN_SECONDS: Math.ceil(maxMs / 1_000) },
          complete: (error, _, found) => {
            done(error, found);
          },
        });
      });
      // Responses were checked before the driver has read them.
      return (rows ?? []) as readonly Row[];
    } catch (error) {
      throw snowflakeError(error);
    }
  }

  /** Waits for the driver. Ends the session if it does not respond in time. */
  private async wait(
    limit: ResponseLimits,
    maxMs: number,
    start: (done: (error: unknown, result?: unknown) => void) => void,
  ): Promise<unknown> {
    if (this.http.failure) throw this.http.failure;
    this.http.limit = limit;
    this.isBusy = true;
    const timer = setTimeout(() => {
      this.http.fail(new DestinationError('unavailable', 'The connection timed out.'));
    }, maxMs);
    try {
      const { error, result } = await new Promise<Outcome>((resolve) => {
        this.http.onFailure = () => {
          resolve({ error: this.http.failure });
        };
        start((reported, found) => {
          // What the driver reports after a failure of the network is not the reason.
          resolve({ error: this.http.failure ?? reported, result: found });
        });
      });
      if (error) throw error as Error;
      return result;
    } finally {
      clearTimeout(timer);
      this.isBusy = false;
      this.http.onFailure = () => undefined;
    }
  }
}
