import { Injectable } from '@nestjs/common';
import { linesWithJavaScriptNumbers } from '../common/json/printed-numbers';
import { COLUMN_TYPES } from '../datagrids/column-type/column-type';
import type { DatagridSchema, SchemaColumn } from '../datagrids/schema/datagrid-schema';
import { AppConfig } from '../platform/config/app-config';
import { ConnectionWatch } from '../platform/database/connection-watch';
import type { OutputTimeBudget } from '../platform/database/database';
import { QueryTimeoutError } from '../platform/database/query-pool';
import { DatabaseUrl } from '../platform/database/session-settings';
import { SnapshotConnection } from '../platform/database/snapshot-connection';
import { indexTable } from '../rows/storage/index-entries-sql';
import { isEveryRow } from '../rows/query/filter/parse-filter';
import { SqlLiterals, valueSql } from '../rows/query/filter/value-sql';
import type { LinkKey } from '../rows/link/link-key';
import { ColumnarReads } from '../rows/query/columnar-reads';
import {
  conditionsSql,
  indexConditionSql,
  indexUse,
  type IndexUse,
  joinRow,
} from '../rows/query/plan/query-parts';
import type { QueryRequest } from '../rows/query/query-request';
import { pickedValues } from '../rows/read/query-page.repository';
import { queryPlans } from '../rows/read/row-plan';
import type { RowVersion } from '../rows/storage/row-version.repository';
import {
  decompressed,
  printedWithSharedTime,
  WITH_CREATED_TEXT,
} from '../rows/storage/row-json-sql';
import { DELIMITERS } from '../rows/values/delimiter';
import type { CsvStyle, ExportRequest, RowPrint } from './export-request';

/**
 * Maximum number of rows that a columnar copy finds for an export, and the share of all rows: PostgreSQL reads
 * more than these sooner by a scan than by their ids.
 */
const MAX_FOUND_ROWS = 100_000;
const MAX_FOUND_SHARE = 0.25;

interface ExportedVersion extends RowVersion {
  readonly rowCount: number;
  readonly isPlain: boolean;
  readonly isDistributed: boolean;
}

/** How rows are printed. */
export interface PrintedExport extends Pick<ExportRequest, 'print' | 'style'> {
  /** Link columns that are printed as keys of the linked rows. */
  readonly linkKeys: readonly LinkKey[];
}

/** A snapshot of a datagrid's rows. */
export class RowSnapshot {
  constructor(
    private readonly connection: SnapshotConnection,
    private readonly schema: DatagridSchema,
    private readonly request: QueryRequest,
    readonly version: ExportedVersion,
    /** Ids of the rows that match, in order; `null` if PostgreSQL finds them. */
    private readonly foundIds: readonly number[] | null,
  ) {}

  /** Yields the rows that match, one line each, and returns their number. @throws QueryTimeoutError */
  lines(
    { print, style, linkKeys }: PrintedExport,
    budget: OutputTimeBudget | undefined,
  ): AsyncGenerator<Buffer, number> {
    const { isPlain } = this.version;
    const all = [...this.schema.columns.values()];
    const columns = { all, isPlain, linkKeys };
    const sql = new SqlLiterals();
    const rows = this.rowsSql(sql);
    const statement = exportSql(rows, columns, this.request, print, style, sql);
    const settings = this.foundIds ? '' : planSettings(this.request);
    const lines = this.connection.copyAndEnd(statement, settings, budget);
    return print === 'csv' ? lines : linesWithJavaScriptNumbers(lines);
  }

  close(): void {
    this.connection.close();
  }

  private rowsSql(sql: SqlLiterals): string {
    const { datagridId } = this.schema;
    return this.foundIds
      ? foundSql(datagridId, this.foundIds, sql)
      : `${sourceSql(datagridId, this.request, sql)} ORDER BY ${orderSql(this.request, sql)}`;
  }
}

/** Reads rows for exports. Each export has its own connection, apart from other requests. */
@Injectable()
export class ExportRepository {
  constructor(
    private readonly config: AppConfig,
    private readonly databaseUrl: DatabaseUrl,
    private readonly watch: ConnectionWatch,
    private readonly columnar: ColumnarReads,
  ) {}

  connect(): Promise<SnapshotConnection> {
    const timeoutMs = this.config.exportTimeoutSeconds * 1000;
    return SnapshotConnection.open(this.databaseUrl.url, timeoutMs, this.watch);
  }

  /**
   * Takes a snapshot of the datagrid for a request, and finds the rows if a columnar copy can.
   * @returns `null` if the account has no such datagrid, or if the columns are no longer those of
   *   `schema`.
   */
  async findSnapshot(
    connection: SnapshotConnection,
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
  ): Promise<RowSnapshot | null> {
    const values = [schema.datagridId, accountId];
    const begin = async (): Promise<ExportedVersion | null> => {
      const [version] = await connection.begin<ExportedVersion>(EXPORTED_VERSION, values);
      return version?.schemaVersion === schema.version ? version : null;
    };
    const mayCopy = selects(request) && queryPlans(request).some(({ kind }) => kind === 'columnar');
    if (mayCopy) {
      const found = await this.findByCopy(connection, accountId, schema, request, begin);
      if (found) return found;
    }
    const version = await begin();
    if (!version) return null;
    if (mayCopy) {
      this.columnar.reader?.noteScan(accountId, schema.datagridId, version.rowCount);
    }
    return new RowSnapshot(connection, schema, request, version, null);
  }

  private async findByCopy(
    connection: SnapshotConnection,
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    begin: () => Promise<ExportedVersion | null>,
  ): Promise<RowSnapshot | null> {
    const begun: ExportedVersion[] = [];
    const { reader } = this.columnar;
    const ids = await reader
      ?.findAll(accountId, schema, request, async () => {
        const version = await begin();
        if (!version) return null;
        begun.push(version);
        const maxIds = Math.floor(Math.min(MAX_FOUND_ROWS, version.rowCount * MAX_FOUND_SHARE));
        return { snapshot: connection, maxIds };
      })
      .catch((error: unknown) => {
        // PostgreSQL has more time for an export.
        if (error instanceof QueryTimeoutError) return null;
        throw error;
      });
    const [version] = begun;
    if (!ids || !version) return null;
    return new RowSnapshot(connection, schema, request, version, ids);
  }
}

/** Selects the version of a datagrid that is exported. Parameters: datagrid id, account id. */
const EXPORTED_VERSION = `
  SELECT c.revision, c.schema_version AS "schemaVersion", c.row_count AS "rowCount", d.plain_values AS "isPlain",
    to_regclass('pg_dist_partition') IS NOT NULL AS "isDistributed"
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/**
 * Returns the planner settings of an export. Rows in id order must not be sorted first, regardless
 * of PostgreSQL's statistics: the primary key has that order and returns the first row at once.
 */
const planSettings = ({ filter, sort }: QueryRequest): string =>
  sort.length > 0 || indexUse(filter) !== null
    ? ''
    : 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

const selects = ({ filter, search }: QueryRequest): boolean =>
  !isEveryRow(filter) || search !== null;

export interface ExportedColumns {
  /** All columns of the datagrid. */
  readonly all: readonly SchemaColumn[];
  /** Whether the stored values of a row are its visible values. */
  readonly isPlain: boolean;
  readonly linkKeys: readonly LinkKey[];
}

/**
 * Returns the COPY statement for rows, one line each. JSON passes through unchanged: the quote and the
 * delimiter are control characters, which JSON escapes, so JSON contains nothing that CSV must quote.
 * @param rows FROM item `r` with its WHERE and ORDER BY clauses.
 */
function exportSql(
  rows: string,
  columns: ExportedColumns,
  request: QueryRequest,
  print: RowPrint,
  style: CsvStyle,
  sql: SqlLiterals,
): string {
  const lines =
    print === 'csv' ? cells(request.fields ?? columns.all, columns.linkKeys, style, sql) : [];
  const json = print === 'csv' ? [] : [jsonSql(columns, request, print, sql)];
  const format =
    print === 'csv'
      ? `, DELIMITER '${DELIMITERS[style.delimiter]}'`
      : String.raw`, QUOTE E'\x01', DELIMITER E'\x02'`;
  return `
    COPY (
      SELECT ${[...lines, ...json].join(', ')}
      FROM ${printedRows(print, rows, lines.length)}
    ) TO STDOUT (FORMAT csv${format})`;
}

/** Returns the FROM item `r` from whose `values` rows are printed. */
function printedRows(print: RowPrint, rows: string, cellCount: number): string {
  if (print === 'row') return `(SELECT ${WITH_CREATED_TEXT} FROM ${rows} OFFSET 0) r`;
  if (cellCount < 2) return rows;
  // Rows are sorted before they are decompressed.
  return `(
        SELECT ${decompressed('r."values"')} AS "values" FROM (SELECT r.* FROM ${rows} OFFSET 0) r OFFSET 0
      ) r`;
}

function jsonSql(
  { all, isPlain, linkKeys }: ExportedColumns,
  { fields }: QueryRequest,
  print: 'values' | 'row',
  sql: SqlLiterals,
): string {
  const isStored = isPlain && fields === null;
  const stored = isStored ? 'r."values"' : pickedValues(fields ?? all, sql);
  const values = withKeysSql(stored, fields ?? all, linkKeys, sql);
  return print === 'row' ? printedWithSharedTime(values) : `${values}::text`;
}

/** Returns the SQL of the cells of a CSV line: text as is, and lists and JSON values as JSON. */
function cells(
  columns: readonly SchemaColumn[],
  linkKeys: readonly LinkKey[],
  { escapeFormulas }: CsvStyle,
  sql: SqlLiterals,
): string[] {
  const values = columns.map(({ id, type, slot }) => {
    const linkKey = linkKeys.find(({ column }) => column.id === id);
    const { cell } = COLUMN_TYPES[type];
    const mayBeFormula = linkKey
      ? type === 'link' && COLUMN_TYPES[linkKey.target.type].mayBeFormula
      : COLUMN_TYPES[type].mayBeFormula;
    if (linkKey) {
      const key = keySql(linkKey, sql);
      if (type === 'multiLink') return `${key}::text`;
      const text = `(${key} #>> '{}')`;
      return escapeFormulas && mayBeFormula ? escapedSql(text) : text;
    }
    const name = sql.add(slot, 'text');
    if (cell === 'json') return `(r."values" -> ${name})::text`;
    const value = `r."values" ->> ${name}`;
    return escapeFormulas && mayBeFormula ? escapedSql(value) : value;
  });
  // A single NULL would print an empty line, which is not a row.
  return values.length === 1 ? values.map((value) => `coalesce(${value}, '')`) : values;
}

/** Returns the SQL of the jsonb key of the row that row `r` links to, or of the array of keys. */
function keySql({ column, target }: LinkKey, sql: SqlLiterals): string {
  const links = `(r."values" -> ${sql.add(column.slot, 'text')})`;
  const key = `t."values" -> ${sql.add(target.slot, 'text')}`;
  const linked = `t.datagrid_id = ${sql.add(column.options.datagridId, 'uuid')}`;
  if (column.type === 'link') {
    return `(SELECT ${key} FROM rows t WHERE ${linked} AND t.id = ${links}::bigint)`;
  }
  // An empty array has no elements, but is a value.
  return `(SELECT coalesce(jsonb_agg((
      SELECT ${key} FROM rows t WHERE ${linked} AND t.id = l.id::bigint
    ) ORDER BY l.place), '[]') FROM jsonb_array_elements_text(${links}) WITH ORDINALITY AS l(id, place) HAVING ${links} IS NOT NULL)`;
}

/** Returns values with the keys of the linked rows in place of their ids. */
function withKeysSql(
  values: string,
  columns: readonly SchemaColumn[],
  linkKeys: readonly LinkKey[],
  sql: SqlLiterals,
): string {
  const keys = linkKeys.flatMap((linkKey) => {
    // A request can name a column by its key and by a previous one.
    const named = columns.filter(({ id }) => id === linkKey.column.id);
    return named.map(({ key }) => `${sql.add(key, 'text')}, ${keySql(linkKey, sql)}`);
  });
  if (keys.length === 0) return values;
  return `(${values} || jsonb_strip_nulls(jsonb_build_object(${keys.join(', ')})))`;
}

/**
 * Escapes a formula: after an apostrophe a spreadsheet reads text (OWASP, CSV injection). Excel also
 * reads the full-width forms of the signs, in Japanese.
 */
const escapedSql = (value: string): string => String.raw`
  CASE WHEN left(${value}, 1) = ANY
      (ARRAY['=', '+', '-', '@', '＝', '＋', '－', '＠', E'\t', E'\r', E'\n'])
    THEN '''' || (${value}) ELSE ${value} END`;

/** Returns the FROM item `r` of the rows with these ids, in their order. */
function foundSql(datagridId: string, ids: readonly number[], sql: SqlLiterals): string {
  const found = `unnest(${sql.add(ids, 'bigint[]')}) WITH ORDINALITY AS f(id, n)`;
  return `${found} ${joinRow('f.id', sql.add(datagridId, 'uuid'))} ORDER BY f.n`;
}

function sourceSql(datagridId: string, request: QueryRequest, sql: SqlLiterals): string {
  const id = sql.add(datagridId, 'uuid');
  const use = indexUse(request.filter);
  const where = [
    `r.datagrid_id = ${id}`,
    ...(use ? entriesSql(use, id, sql) : []),
    ...conditionsSql(use?.remainingFilter ?? request.filter, request, sql),
  ];
  const from = use ? `${indexTable(use.column.type)} e JOIN rows r ON r.id = e.row_id` : 'rows r';
  return `${from} WHERE ${where.join(' AND ')}`;
}

function entriesSql({ column, conditions }: IndexUse, id: string, sql: SqlLiterals): string[] {
  const ofColumn = `e.datagrid_id = ${id} AND e.column_id = ${sql.add(column.id, 'int')}`;
  return [
    `${ofColumn} AND NOT e.is_empty`,
    ...conditions.map((condition) => indexConditionSql(condition, sql)),
  ];
}

function orderSql({ sort }: QueryRequest, sql: SqlLiterals): string {
  const keys = sort.map(
    ({ column, isDescending }) =>
      `${valueSql(column, sql)}${isDescending ? ' DESC' : ''}${column.attribute ? '' : ' NULLS LAST'}`,
  );
  return [...keys, 'r.id'].join(', ');
}
