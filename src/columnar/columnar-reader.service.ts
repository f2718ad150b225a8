import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { AppConfig } from '../platform/config/app-config';
import { isNotSupported } from '../platform/database/database-error';
import {
  type DatabaseSnapshot,
  type QueryKind,
  QueryPool,
  QueryTimeoutError,
} from '../platform/database/query-pool';
import { Logger } from '../platform/logging/logger';
import { PRINTED_PREFIX } from '../destinations/duckdb/duckdb-sql';
import type { AggregateRequest } from '../rows/aggregate/aggregate-request';
import {
  ColumnarGroups,
  type FoundGroupValues,
  type GroupReader,
} from '../rows/aggregate/columnar-groups';
import {
  type BoundedSnapshot,
  type ColumnarReader,
  ColumnarReads,
  type FoundIds,
  type ReadFound,
} from '../rows/query/columnar-reads';
import type { RowRange } from '../rows/query/plan/query-parts';
import type { QueryRequest } from '../rows/query/query-request';
import { ColumnarCopies } from './columnar-copies';
import type { ColumnarCopy } from './columnar-copy';
import type { ColumnarSession } from './columnar-database';
import { type FilterContext, FoldedTexts } from './columnar-filter-sql';
import { groupsSql } from './columnar-groups-sql';
import { ColumnarMetrics, type CopyOutcome } from './columnar-metrics';
import { pageSql } from './columnar-page-sql';
import type { PrintedRow } from './columnar-program';
import { CopyDemand } from './copy-demand';
import { follow } from './copy-follower';
import { LinesTooLongError } from './copy-lines-file';
import { CopyFailedError } from './copy-failed';
import { type CopyTable, NotServedError } from './copy-table';
import { beginReading } from './copy-table.repository';

/** Limits of the changes that a request writes to a copy before it reads it: about 50 ms of work. */
const MAX_FOLLOWED = { maxRows: 2_000, maxBytes: 8 * 1024 * 1024 };
/** Time that an interrupted query has to end. Then the process is killed. */
const INTERRUPT_MS = 10_000;
/** Time that a request waits for those that change the copy. */
const MAX_TURN_MS = 1_000;
/** Maximum length of the texts of all groups. PostgreSQL, which prints them, receives them as parameters. */
const MAX_GROUP_CHARACTERS = 4 * 1024 * 1024;
/** Maximum length of an id as text. */
const ID_CHARACTERS = 16;

/**
 * Builds a query, then runs it. It is built twice: to collect its texts, and again when PostgreSQL has
 * converted them.
 */
type CopyQuery<Found> = (context: FilterContext) => (session: ColumnarSession) => Promise<Found>;

/** Finds rows in the snapshot that `begin` begins, and reads them. `null` if `begin` returned `null`, or the copy is behind. */
type FindIn<Found> = <T>(
  begin: BeginSnapshot,
  read: (found: Found) => Promise<T>,
) => Promise<T | null>;
type BeginSnapshot = () => Promise<DatabaseSnapshot | null>;

/** Finds rows in columnar copies. A copy is brought to the revision of the request's snapshot first. */
@Injectable()
export class ColumnarReaderService implements ColumnarReader, GroupReader, OnModuleInit {
  private readonly timeoutMs: number;

  constructor(
    config: AppConfig,
    private readonly reads: ColumnarReads,
    private readonly groups: ColumnarGroups,
    private readonly copies: ColumnarCopies,
    private readonly demand: CopyDemand,
    private readonly queries: QueryPool,
    private readonly metrics: ColumnarMetrics,
    private readonly logger: Logger,
  ) {
    this.timeoutMs = config.queryTimeoutMs;
  }

  onModuleInit(): void {
    this.reads.register(this);
    this.groups.register(this);
  }

  noteScan(accountId: string, datagridId: string, rowCount: number | null): void {
    this.demand.noteScan(accountId, datagridId, rowCount);
  }

  async findPage<T>(
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    span: RowRange,
    read: ReadFound<FoundIds, T>,
  ): Promise<T | null> {
    const query: CopyQuery<FoundIds> = (context) => {
      const { ids, total } = pageSql(request, span, context);
      return async (session) => {
        const found = (await session.select(ids)).map(([id]) => Number(id));
        if (total === null) return { ids: found, total };
        // A page that is not full is the last one, so that nothing has to be counted.
        const isLast = found.length < span.limit && (found.length > 0 || span.offset === 0);
        if (isLast) return { ids: found, total: span.offset + found.length };
        return { ids: found, total: Number((await session.select(total))[0]?.[0]) };
      };
    };
    const kind = request.isPublic === true ? 'public' : 'scan';
    return this.find(accountId, schema, kind, query, read);
  }

  async findGroups<T>(
    accountId: string,
    schema: DatagridSchema,
    request: AggregateRequest,
    read: ReadFound<FoundGroupValues, T>,
  ): Promise<T | null> {
    const query: CopyQuery<FoundGroupValues> = (context) => {
      const statement = groupsSql(request, context);
      return async (session) => groupValues(await session.select(statement, MAX_GROUP_CHARACTERS));
    };
    return this.find(accountId, schema, 'scan', query, read);
  }

  async findAll(
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    begin: () => Promise<BoundedSnapshot | null>,
  ): Promise<readonly number[] | null> {
    let maxIds = 0;
    const beginSnapshot = async (): Promise<DatabaseSnapshot | null> => {
      const begun = await begin();
      maxIds = begun?.maxIds ?? 0;
      return begun && begun.snapshot;
    };
    const query: CopyQuery<readonly number[]> = (context) => {
      const { ids } = pageSql(request, { offset: 0, limit: maxIds + 1 }, context);
      return async (session) => {
        const found = await session.select(ids, (maxIds + 1) * ID_CHARACTERS);
        if (found.length > maxIds) throw new NotServedError('too many rows match');
        return found.map(([id]) => Number(id));
      };
    };
    return this.served(accountId, schema, query, (findIn) =>
      findIn(beginSnapshot, (ids) => Promise.resolve(ids)),
    );
  }

  private async find<Found, T>(
    accountId: string,
    schema: DatagridSchema,
    kind: QueryKind,
    query: CopyQuery<Found>,
    read: ReadFound<Found, T>,
  ): Promise<T | null> {
    return this.served(accountId, schema, query, (findIn) =>
      this.queries.inSnapshot(accountId, kind, (snapshot) =>
        findIn(
          () => Promise.resolve(snapshot),
          (found) => read(found, snapshot),
        ),
      ),
    );
  }

  /** @param run Finds the rows, once it has what it takes. It is not called if there is no copy. */
  private async served<Found, T>(
    accountId: string,
    schema: DatagridSchema,
    query: CopyQuery<Found>,
    run: (findIn: FindIn<Found>) => Promise<T | null>,
  ): Promise<T | null> {
    const copy = this.copies.find(accountId, schema);
    if (!copy) return null;
    try {
      const texts = new FoldedTexts();
      // Throws NotServedError before a permit is taken, and collects the texts that PostgreSQL must convert.
      query({ table: copy.state.table, fold: texts.collect });
      const found = await run((begin, read) => this.findIn(begin, copy, texts, query, read));
      this.metrics.noteQuery(found === null ? 'behind' : 'served');
      return found;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === null) throw error;
      if (outcome === 'failed') {
        const { datagridId } = schema;
        this.logger.pino.warn({ err: error, accountId, datagridId }, 'columnar query failed');
      }
      this.metrics.noteQuery(outcome);
      return null;
    }
  }

  private async findIn<Found, T>(
    beginSnapshot: BeginSnapshot,
    copy: ColumnarCopy,
    texts: FoldedTexts,
    query: CopyQuery<Found>,
    read: (found: Found) => Promise<T>,
  ): Promise<T | null> {
    const session = copy.process.connect(this.timeoutMs + INTERRUPT_MS);
    try {
      // The snapshot begins in turn, so that no snapshot is of an earlier revision than the copy.
      const begin = async (): Promise<CopyTable | null> => {
        const snapshot = await beginSnapshot();
        return snapshot && this.begin(snapshot, copy, texts, session);
      };
      const table = await copy.exclusively(begin, MAX_TURN_MS);
      if (!table) return null;
      const find = query({ table, fold: texts.fold });
      return await read(await this.within(session, find(session)));
    } finally {
      session.close();
    }
  }

  /**
   * Brings the copy to the revision of the snapshot, and begins to read it.
   * @returns `null` if the copy cannot be brought to that revision.
   */
  private async begin(
    snapshot: DatabaseSnapshot,
    copy: ColumnarCopy,
    texts: FoldedTexts,
    session: ColumnarSession,
  ): Promise<CopyTable | null> {
    if (!copy.isUsable) return null;
    const options = { ...MAX_FOLLOWED, texts: texts.list, writesPart: false };
    const followed = await follow(copy, snapshot, session, options).catch((error: unknown) => {
      if (error instanceof LinesTooLongError) return 'tooMany' as const;
      // The copy would fail other requests, too.
      if (error instanceof CopyFailedError) void this.copies.drop(copy);
      throw error;
    });
    if (typeof followed === 'string') {
      if (followed !== 'gone') this.demand.noteBehind(copy);
      return null;
    }
    texts.set(followed.folded);
    const { table } = copy.state;
    await beginReading(session, table);
    return table;
  }

  /** Waits for a query, and interrupts it after QUERY_TIMEOUT_MS. @throws QueryTimeoutError */
  private async within<T>(session: ColumnarSession, pending: Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      session.interrupt();
    }, this.timeoutMs);
    try {
      return await pending;
    } catch (cause) {
      throw isLate ? new QueryTimeoutError('The query timed out.', { cause }) : cause;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns the outcome of a query that failed; `null` if the error is not one of the copy. */
function outcomeOf(error: unknown): CopyOutcome | null {
  if (error instanceof NotServedError) return 'unable';
  return error instanceof CopyFailedError || isNotSupported(error) ? 'failed' : null;
}

/** Reads the rows of `groupsSql`: the number of groups comes first. */
function groupValues(rows: readonly PrintedRow[]): FoundGroupValues {
  return {
    groups: rows.map(([, ...parts]) =>
      parts.map((part) => part && part.slice(PRINTED_PREFIX.length)),
    ),
    total: Number(rows[0]?.[0] ?? 0),
  };
}
