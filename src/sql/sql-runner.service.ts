import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { ColumnarSession } from '../columnar/columnar-database';
import { CopyFailedError } from '../columnar/copy-failed';
import { parsedSql } from '../columnar/statement-sql';
import { TOO_MUCH_MEMORY, type UserColumn, type UserQuery } from '../columnar/user-query';
import { AppError, unavailable } from '../common/error/app-error';
import { DestinationError } from '../destinations/destination';
import { statementOf } from '../destinations/source-sql';
import type { ResultRow } from '../destinations/source';
import { AppConfig } from '../platform/config/app-config';
import { QueryPool, QueryTimeoutError } from '../platform/database/query-pool';
import type { AccountSemaphore } from '../platform/fairness/account-semaphore';
import { semaphoreOf } from '../platform/fairness/limit';
import { LIMITS } from '../platform/fairness/limits';
import { Metrics } from '../platform/metrics/metrics';
import { endsWithin } from '../platform/time/ends-within';
import type { RunSqlDto } from './dto/sql.dto';
import type { SqlCopies } from './sql-copies';
import { SqlFile } from './sql-file';
import { type SqlOwner, SqlProcessesService } from './sql-processes.service';
import { invalidSql, tablesOf } from './sql-statement';
import { type NamedTables, SqlTablesService } from './sql-tables.service';
import { disconnected, type SessionLimits, TimedSession } from './timed-session';

/** Outcomes of statements. `rejected`: not valid, too expensive, without a permit, or without its client. */
const OUTCOMES = ['started', 'rejected', 'failed'];
/** Maximum length of a statement as DuckDB's parser prints it. */
const MAX_TREE_CHARACTERS = 4 * 1024 * 1024;
/** Time that a request waits for copies of its tables. Their loads go on without it. */
const MAX_LOAD_WAIT_MS = 20_000;
/** Snapshots that are repeated because something has changed meanwhile. */
const MAX_ATTEMPTS = 5;

/** A statement, the values of its parameters, and when it ends. */
export interface SqlRequest
  extends SessionLimits, Pick<RunSqlDto, 'sql' | 'parameters' | 'limit'> {}

/** A session that reads the tables of a statement in one snapshot. */
interface Prepared {
  readonly session: ColumnarSession;
  readonly copies: SqlCopies;
  readonly revisions: Readonly<Record<string, number>>;
}

/**
 * Starts a statement in a session that is prepared.
 * @param release Releases the process and the permit. If this function throws, the caller releases them.
 */
type Begin<T> = (prepared: Prepared, release: () => void) => Promise<T>;

/** Runs statements over the tables of a workspace. */
@Injectable()
export class SqlRunnerService {
  /** Permits of statements in progress. */
  readonly permits: AccountSemaphore;
  private readonly statements: Counter<'outcome'>;

  constructor(
    private readonly config: AppConfig,
    private readonly queries: QueryPool,
    private readonly tables: SqlTablesService,
    private readonly processes: SqlProcessesService,
    metrics: Metrics,
  ) {
    const help = `SQL statements, by outcome: ${OUTCOMES.join(', ')}.`;
    this.statements = metrics.counter('sql_statements_total', help, ['outcome']);
    this.permits = semaphoreOf(LIMITS.sqlQueries, config);
  }

  /**
   * Starts a statement. If its process dies before the statement runs, it is started once more.
   * @throws AppError `not_found`, `invalid_request` with the field `sql`, `query_too_expensive`,
   *   `rate_limited` or `unavailable`.
   */
  async start(owner: SqlOwner, request: SqlRequest): Promise<RunningSql> {
    return this.counted(owner, request, (prepared, release) =>
      this.begin(prepared, request, release),
    );
  }

  /**
   * Prepares a statement whose rows, up to `limit`, become a Parquet file. It runs when the file is read.
   * @throws as `start`
   */
  async startFile(owner: SqlOwner, request: SqlRequest): Promise<SqlFile> {
    return this.counted(owner, request, ({ session, copies }, release) => {
      const statement = new TimedSession(session, request, timedOut);
      const file = { ...textOf(request), limit: request.limit ?? null };
      return Promise.resolve(new SqlFile(statement, copies, file, publicError, release));
    });
  }

  /** Starts a statement, and counts the outcome. */
  private async counted<T>(owner: SqlOwner, request: SqlRequest, begin: Begin<T>): Promise<T> {
    try {
      const started = await this.startTwice(owner, request, begin);
      this.statements.inc({ outcome: 'started' });
      return started;
    } catch (error) {
      const thrown = sqlError(error);
      const hasFailed = thrown instanceof AppError && thrown.cause instanceof CopyFailedError;
      const isOfStatement = hasFailed && thrown.code !== 'unavailable';
      this.statements.inc({ outcome: hasFailed && !isOfStatement ? 'failed' : 'rejected' });
      throw thrown;
    }
  }

  private async startTwice<T>(owner: SqlOwner, request: SqlRequest, begin: Begin<T>): Promise<T> {
    const tables = await this.tables.list(owner);
    try {
      return await this.attempt(owner, tables, request, begin);
    } catch (error) {
      if (!(error instanceof CopyFailedError)) throw error;
    }
    return this.attempt(owner, tables, request, begin);
  }

  /** @throws CopyFailedError if the process has died, or an AppError. */
  private async attempt<T>(
    owner: SqlOwner,
    tables: NamedTables,
    request: SqlRequest,
    begin: Begin<T>,
  ): Promise<T> {
    const release = await this.permits.acquire(owner.accountId);
    const free = { release };
    try {
      if (request.signal.aborted) throw disconnected();
      const used = await this.processes.use(owner);
      free.release = () => {
        used.release();
        release();
      };
      const pending = this.prepare(used.copies, owner, tables, request.sql);
      if (await endsWithin(pending, MAX_LOAD_WAIT_MS)) {
        return await begin(await pending, free.release);
      }
      const whenLoaded = free.release;
      // The permit is held meanwhile, so that the account cannot begin more loads.
      free.release = () => undefined;
      pending
        .then(
          ({ session }) => {
            session.close();
          },
          () => undefined,
        )
        .finally(whenLoaded);
      throw loading();
    } catch (error) {
      free.release();
      throw error;
    }
  }

  /** Checks a statement, and opens a session that reads its tables. */
  private async prepare(
    copies: SqlCopies,
    { accountId }: SqlOwner,
    tables: NamedTables,
    sql: string,
  ): Promise<Prepared> {
    const session = copies.connect();
    try {
      const [parsed] = await session.select(parsedSql(statementText(sql)), MAX_TREE_CHARACTERS);
      const names = [...tablesOf(parsed?.[0] ?? '', parsed?.[1] === 'true')];
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const read = await this.tables.read(accountId, tables, names);
        const begin = (): Promise<readonly number[] | null> =>
          copies.begin(session, read, (work) => this.queries.inSnapshot(accountId, 'scan', work));
        const revisions = await copies.alone(
          async () => (await begin()) ?? ((await copies.prepare(read)) ? begin() : null),
          MAX_LOAD_WAIT_MS,
        );
        if (revisions) {
          const pairs = names.map((name, index) => [name, revisions[index] ?? 0] as const);
          return { session, copies, revisions: Object.fromEntries(pairs) };
        }
      }
      throw unavailable('The datagrids of the query keep changing. Retry later.');
    } catch (error) {
      session.close();
      throw error instanceof QueryTimeoutError ? notReadInTime(error) : error;
    }
  }

  private async begin(
    { session, revisions }: Prepared,
    request: SqlRequest,
    release: () => void,
  ): Promise<RunningSql> {
    const statement = new TimedSession(session, request, timedOut);
    try {
      const maxRowCharacters = this.config.maxPageBytes;
      const columns = await statement.run(() =>
        session.query({ ...textOf(request), maxRowCharacters }),
      );
      return new RunningSql(columns, revisions, statement, release);
    } catch (error) {
      await statement.end();
      throw publicError(error);
    }
  }
}

/** Returns a statement without a semicolon at its end. */
const statementText = (sql: string): string => statementOf({ query: sql }, String);

const textOf = ({ sql, parameters = [] }: SqlRequest): Pick<UserQuery, 'text' | 'parameters'> => ({
  text: statementText(sql),
  parameters,
});

/** A statement in progress. */
export class RunningSql {
  private isEnded = false;

  constructor(
    readonly columns: readonly UserColumn[],
    /** Revisions of the datagrids, by the names of their tables. */
    readonly revisions: Readonly<Record<string, number>>,
    private readonly statement: TimedSession,
    private readonly release: () => void,
  ) {}

  /** Returns the next rows; none after the last one. @throws AppError */
  async next(): Promise<readonly ResultRow[]> {
    return this.statement
      .run((session) => session.next())
      .catch((error: unknown) => {
        throw publicError(error);
      });
  }

  /** Ends the statement, and releases what it holds. Can be called again. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    void this.statement.end().finally(this.release);
  }
}

/** Returns the public error of a statement, or of its process. */
const publicError = (error: unknown): unknown => statementError(error) ?? sqlError(error);

/** Returns the public error of a statement that is at fault itself; `null` for other errors. */
function statementError(error: unknown): AppError | null {
  if (!(error instanceof CopyFailedError)) return null;
  const { cause } = error;
  const text = cause instanceof Error ? cause.message : '';
  // The second is the reason why the process was ended.
  const isMemory = text === TOO_MUCH_MEMORY || text.startsWith('DuckDB failed: Out of Memory');
  if (isMemory) return tooMuchMemory(error);
  if (!(cause instanceof DestinationError) || cause.kind !== 'configuration') return null;
  return invalidSql(`failed in DuckDB: ${text}`);
}

/** Returns the public error of a process that has died. */
function sqlError(error: unknown): unknown {
  if (!(error instanceof CopyFailedError)) return error;
  return unavailable('The process of the query has ended unexpectedly. Retry later.', error);
}

function tooMuchMemory(cause: unknown): AppError {
  return new AppError('query_too_expensive', TOO_MUCH_MEMORY, { cause });
}

function timedOut(cause?: unknown): AppError {
  const message = 'The query timed out. Read fewer rows, or group or sort by fewer values.';
  return new AppError('query_too_expensive', message, { cause });
}

function notReadInTime(cause: unknown): AppError {
  return unavailable('The datagrids of the query could not be read in time. Retry later.', cause);
}

function loading(): AppError {
  const message = 'Copies of the datagrids are being loaded for the query. Retry later.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
}
