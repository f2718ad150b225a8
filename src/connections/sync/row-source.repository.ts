import { Injectable } from '@nestjs/common';
import { COLUMN_TYPES } from '../../datagrids/column-type/column-type';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { ConnectionWatch } from '../../platform/database/connection-watch';
import { isConnectionFailure } from '../../platform/database/database-error';
import { DatabaseUrl } from '../../platform/database/session-settings';
import { SnapshotConnection } from '../../platform/database/snapshot-connection';
import { SqlLiterals } from '../../rows/query/filter/value-sql';
import { decompressed } from '../../rows/storage/row-json-sql';
import {
  BLOCK_ROWS,
  type BlockSum,
  type CsvLines,
  type IdRange,
  type RowRevision,
} from '../../destinations/destination';

/** A datagrid of an account. */
export interface DatagridRef {
  readonly accountId: string;
  readonly datagridId: string;
}

/** A row that has changed, with the revision of the change. */
export interface ChangedRows {
  readonly ids: readonly number[];
  readonly revisions: readonly number[];
}

/** The columns to print, with the version of the datagrid's columns. */
export interface SourceColumns {
  readonly columns: readonly SchemaColumn[];
  readonly version: number;
}

/** Lines that a destination reads once, with their size. */
export class CountedLines implements CsvLines {
  bytes = 0;
  rows = 0;
  /** Time since which lines wait for the destination, of `performance.now`; `null` if none do. */
  waitingSinceMs: number | null = null;

  constructor(private readonly source: AsyncGenerator<Buffer, number>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (let next = await this.source.next(); ; next = await this.source.next()) {
      if (next.done === true) {
        this.rows = next.value;
        return;
      }
      this.bytes += next.value.length;
      this.waitingSinceMs = performance.now();
      yield next.value;
      this.waitingSinceMs = null;
    }
  }
}

/** Thrown if the columns of the datagrid are no longer those that were expected. */
export class ColumnsChangedError extends Error {
  constructor() {
    super('The columns of the datagrid have changed.');
  }
}

/** Thrown if the account has no such datagrid, or it is in the trash. */
export class DatagridGoneError extends Error {
  constructor() {
    super('The datagrid was deleted.');
  }
}

interface LastRow {
  readonly schemaVersion: number;
  readonly lastRowId: number;
}

/** Rows of a range of ids that follows others. */
export interface RowRange {
  readonly lines: CountedLines;
  readonly toId: number;
  /** Whether there were no rows after them. The log has those that were created since. */
  readonly isLast: boolean;
}

const LAST_ROW = `
  SELECT c.schema_version AS "schemaVersion", c.last_row_id AS "lastRowId"
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

const VERSION = `
  SELECT c.schema_version AS "schemaVersion"
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

const HEAD = `
  SELECT c.revision, c.schema_version AS "schemaVersion"
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

const SUMS = `
  SELECT r.id / ${String(BLOCK_ROWS)} AS block, count(*) AS rows, sum(r.id)::text AS ids,
    sum(r.revision)::text AS revisions
  FROM rows r WHERE r.datagrid_id = $1 GROUP BY 1 ORDER BY 1`;

const REVISIONS = `
  SELECT r.id, r.revision FROM rows r WHERE r.datagrid_id = $1 AND r.id BETWEEN $2 AND $3`;

/** The primary key has the rows in order. Statistics must not lead to another plan. */
const IN_ORDER = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';
const BY_ID = 'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off';
const CSV = String.raw`TO STDOUT (FORMAT csv, NULL '\N')`;

/** Returns the FROM item `r` of the rows that meet a condition, in order. */
function rowsSql(datagridId: string, condition: string, sql: SqlLiterals): string {
  const where = `r.datagrid_id = ${sql.add(datagridId, 'uuid')} AND ${condition}`;
  return `(
          SELECT r.id, r.revision, ${decompressed('r."values"')} AS "values"
          FROM rows r WHERE ${where} ORDER BY r.id OFFSET 0
        ) r`;
}

/** Returns the SQL of the values of row `r`, each printed as `CsvLines` says. */
function valuesSql(columns: readonly SchemaColumn[], sql: SqlLiterals): string {
  return columns
    .map(({ type, slot }) => {
      const name = sql.add(slot, 'text');
      return COLUMN_TYPES[type].cell === 'json'
        ? `, (r."values" -> ${name})::text`
        : `, r."values" ->> ${name}`;
    })
    .join('');
}

/**
 * Reads rows of one datagrid on a connection of its own. Each read is a short snapshot. A connection that
 * was lost between two reads, such as while the destination was slow, is replaced.
 */
export class RowSource {
  private isClosed = false;

  private constructor(
    private connection: SnapshotConnection,
    private readonly connect: () => Promise<SnapshotConnection>,
    private readonly datagrid: DatagridRef,
  ) {}

  /** @param connect Opens a connection. */
  static async open(
    connect: () => Promise<SnapshotConnection>,
    datagrid: DatagridRef,
  ): Promise<RowSource> {
    return new RowSource(await connect(), connect, datagrid);
  }

  /**
   * Prints the rows of the next ids, in order.
   * @param form As lines of a load, or as changes.
   * @param ids Number of ids. There are fewer rows if some were deleted.
   * @returns `null` if no rows are left.
   * @throws ColumnsChangedError, DatagridGoneError
   */
  async readAfter(
    form: 'load' | 'changes',
    { columns, version }: SourceColumns,
    afterId: number,
    ids: number,
  ): Promise<RowRange | null> {
    const { accountId, datagridId } = this.datagrid;
    const { lastRowId } = await this.begin<LastRow>(LAST_ROW, [datagridId, accountId], version);
    if (afterId >= lastRowId) return null;
    const toId = Math.min(afterId + ids, lastRowId);
    const sql = new SqlLiterals();
    const deleted = form === 'changes' ? ", 'false'" : '';
    const range = `r.id > ${sql.add(afterId, 'bigint')} AND r.id <= ${sql.add(toId, 'bigint')}`;
    const statement = `
      COPY (
        SELECT r.id, r.revision${deleted}${valuesSql(columns, sql)}
        FROM ${rowsSql(datagridId, range, sql)}
      ) ${CSV}`;
    const lines = new CountedLines(this.connection.copyAndEnd(statement, IN_ORDER));
    return { lines, toId, isLast: toId === lastRowId };
  }

  /**
   * Prints rows as they are now. One that does not exist is printed as deleted.
   * @throws ColumnsChangedError, DatagridGoneError
   */
  async readChanged(
    { columns, version }: SourceColumns,
    { ids, revisions }: ChangedRows,
  ): Promise<CountedLines> {
    const { accountId, datagridId } = this.datagrid;
    await this.begin(VERSION, [datagridId, accountId], version);
    const sql = new SqlLiterals();
    const changed = `${sql.add(ids, 'bigint[]')}, ${sql.add(revisions, 'bigint[]')}`;
    const statement = `
      COPY (
        SELECT r.id, r.revision, r.deleted${valuesSql(columns, sql)}
        FROM (
          SELECT c.id, coalesce(r.revision, c.revision) AS revision, (r.id IS NULL)::text AS deleted,
            ${decompressed('r."values"')} AS "values"
          FROM unnest(${changed}) AS c(id, revision)
          LEFT JOIN rows r ON r.datagrid_id = ${sql.add(datagridId, 'uuid')} AND r.id = c.id
          OFFSET 0
        ) r
      ) ${CSV}`;
    return new CountedLines(this.connection.copyAndEnd(statement, BY_ID));
  }

  /** Returns sums of all rows by block, with the revision of the datagrid. @throws DatagridGoneError */
  async sumBlocks(): Promise<{ readonly revision: number; readonly blocks: BlockSum[] }> {
    const revision = await this.beginAtHead();
    const { datagridId } = this.datagrid;
    return { revision, blocks: await this.connection.query<BlockSum>(SUMS, [datagridId]) };
  }

  /**
   * Returns the revisions of the rows of a range, with the revision of the datagrid.
   * @throws DatagridGoneError
   */
  async readRevisions({
    from,
    to,
  }: IdRange): Promise<{ readonly revision: number; readonly rows: RowRevision[] }> {
    const revision = await this.beginAtHead();
    const values = [this.datagrid.datagridId, from, to];
    return { revision, rows: await this.connection.query<RowRevision>(REVISIONS, values) };
  }

  /** Prints the rows of a range as lines of a load. @throws as `readAfter` */
  async readRange(
    { columns, version }: SourceColumns,
    { from, to }: IdRange,
  ): Promise<CountedLines> {
    const { accountId, datagridId } = this.datagrid;
    await this.begin(VERSION, [datagridId, accountId], version);
    const sql = new SqlLiterals();
    const range = `r.id BETWEEN ${sql.add(from, 'bigint')} AND ${sql.add(to, 'bigint')}`;
    const statement = `
      COPY (
        SELECT r.id, r.revision${valuesSql(columns, sql)} FROM ${rowsSql(datagridId, range, sql)}
      ) ${CSV}`;
    return new CountedLines(this.connection.copyAndEnd(statement, IN_ORDER));
  }

  close(): void {
    this.isClosed = true;
    this.connection.close();
  }

  /** Starts a snapshot and runs a query in it, on another connection if this one was lost. */
  private async snapshot<T extends object>(text: string, values: readonly unknown[]): Promise<T[]> {
    try {
      return await this.connection.begin<T>(text, values);
    } catch (error) {
      if (this.isClosed || !isConnectionFailure(error)) throw error;
    }
    this.connection.close();
    const next = await this.connect();
    this.replace(next);
    return next.begin<T>(text, values);
  }

  /** Uses another connection. Closes it if the source was closed meanwhile. */
  private replace(next: SnapshotConnection): void {
    this.connection = next;
    if (this.isClosed) next.close();
  }

  private async beginAtHead(): Promise<number> {
    const { accountId, datagridId } = this.datagrid;
    const [head] = await this.snapshot<{ revision: number }>(HEAD, [datagridId, accountId]);
    if (!head) throw new DatagridGoneError();
    return head.revision;
  }

  private async begin<T extends { readonly schemaVersion: number }>(
    text: string,
    values: readonly unknown[],
    version: number,
  ): Promise<T> {
    const [found] = await this.snapshot<T>(text, values);
    if (!found) throw new DatagridGoneError();
    if (found.schemaVersion !== version) throw new ColumnsChangedError();
    return found;
  }
}

/** Opens sources of rows. Each has its own connection, apart from other requests. */
@Injectable()
export class RowSources {
  constructor(
    private readonly config: AppConfig,
    private readonly databaseUrl: DatabaseUrl,
    private readonly watch: ConnectionWatch,
  ) {}

  async open(datagrid: DatagridRef): Promise<RowSource> {
    const timeoutMs = this.config.exportTimeoutSeconds * 1_000;
    const { url } = this.databaseUrl;
    return RowSource.open(() => SnapshotConnection.open(url, timeoutMs, this.watch), datagrid);
  }
}
