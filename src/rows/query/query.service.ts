import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-match';
import { CursorPage, JsonPage, NotModified } from '../../common/envelope/page';
import {
  AppError,
  type FieldError,
  invalidRequest,
  notFound,
  unavailable,
} from '../../common/error/app-error';
import { hasIndex } from '../../datagrids/column/column-record';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { DatabaseGate } from '../../platform/database/database-gate';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { isTooLong } from '../../platform/database/database-error';
import { encodeCursor } from './cursor';
import type { Filter } from './filter/parse-filter';
import { indexUse, isEveryRow } from './plan/query-parts';
import { queryRequest, type QueryRequest } from './query-request';
import { QueryRepository, type FoundPage } from './query.repository';
import { type RowQuery, rowQueryEtag } from './row-query';
import { type RowVersion, RowVersionRepository } from './row-read.repository';

/** Avoids reading rows that the client already has. */
@Injectable()
export class VersionCheck {
  constructor(private readonly repository: RowVersionRepository) {}

  /**
   * Compares the tags that the client has with that of the current response.
   * @param ifNoneMatch `If-None-Match` of the request. Without it no statement runs.
   * @param etagOf Returns the ETag of the response at a version.
   * @returns `null` if the rows must be read.
   * @throws AppError `not_found` if the account has no such datagrid.
   */
  async notModified(
    accountId: string,
    datagridId: string,
    ifNoneMatch: IfNoneMatch | undefined,
    etagOf: (version: RowVersion) => string,
  ): Promise<NotModified | null> {
    if (ifNoneMatch === undefined) return null;
    const version = await this.repository.find(accountId, datagridId);
    if (!version) throw notFound('Datagrid');
    const etag = etagOf(version);
    return ifNoneMatch.find(etag) === undefined ? null : new NotModified(etag);
  }
}

const MAX_ATTEMPTS = 5;

/** Queries rows of a datagrid by their values. */
@Injectable()
export class QueryService {
  constructor(
    private readonly config: AppConfig,
    private readonly schemas: DatagridSchemaService,
    private readonly repository: QueryRepository,
    private readonly versions: VersionCheck,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Returns a page with its total or, if the query has a cursor, the rows after it.
   * @throws AppError `not_found`, `invalid_request` with the path of the invalid part, or
   *   `query_too_expensive`.
   */
  async list(
    accountId: string,
    datagridId: string,
    rowQuery: RowQuery,
  ): Promise<JsonPage | CursorPage> {
    const list = (schema: DatagridSchema): Promise<JsonPage | CursorPage | null> =>
      this.listWith(accountId, schema, rowQuery);
    const readSchema = (): Promise<DatagridSchema> => this.currentSchema(accountId, datagridId);
    const quick = await this.schemas.tryWithCached(accountId, datagridId, list, readSchema);
    if (quick) return quick;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const listed = await list(await readSchema());
      if (listed) return listed;
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }

  /**
   * Returns the same as `list`, or `NotModified` if the client already has the response. In that
   * case no rows are read. An invalid query is rejected in any case.
   * @param ifNoneMatch `If-None-Match` of the request.
   * @throws as `list`
   */
  async listUnlessNotModified(
    accountId: string,
    datagridId: string,
    rowQuery: RowQuery,
    ifNoneMatch: IfNoneMatch | undefined,
  ): Promise<JsonPage | CursorPage | NotModified> {
    if (ifNoneMatch === undefined) return this.list(accountId, datagridId, rowQuery);
    const known = await this.gate.run(accountId, async () => {
      queryRequest(await this.schemas.get(accountId, datagridId), rowQuery);
      return this.versions.notModified(accountId, datagridId, ifNoneMatch, (version) =>
        rowQueryEtag(version, rowQuery),
      );
    });
    return known ?? this.list(accountId, datagridId, rowQuery);
  }

  /** Reads the columns with a connection of the main pool, which the query itself does not use. */
  private currentSchema(accountId: string, datagridId: string): Promise<DatagridSchema> {
    return this.gate.run(accountId, () => this.schemas.get(accountId, datagridId));
  }

  /** @returns `null` if the columns are no longer those of `schema`, or the datagrid is deleted. */
  private async listWith(
    accountId: string,
    schema: DatagridSchema,
    rowQuery: RowQuery,
  ): Promise<JsonPage | CursorPage | null> {
    const request = queryRequest(schema, rowQuery);
    try {
      const found = await mapTooLongError(() =>
        this.repository.find(accountId, schema, request, this.config.maxPageBytes),
      );
      return found && response(request, found, rowQuery);
    } catch (error) {
      throw error instanceof QueryTimeoutError ? queryTimeoutError(request, error) : error;
    }
  }
}

function response(
  { sort, pagination }: QueryRequest,
  found: FoundPage,
  rowQuery: RowQuery,
): JsonPage | CursorPage {
  const etag = rowQueryEtag(found, rowQuery);
  const { json, count, total, next } = found;
  if (json === null) throw pageTooLarge();
  if (pagination.kind === 'page') return new JsonPage(json, count, total, pagination.request, etag);
  const [rowId, ...values] = next ?? [0];
  const nextCursor = next && encodeCursor(sort, { rowId, values });
  return new CursorPage(json, count, nextCursor, etag);
}

/** Parts of a query that determine which rows it reads. */
type ReadRows = Pick<QueryRequest, 'filter' | 'search' | 'sort'>;

const INDEXED_CONDITION = '$eq, $in, $startsWith or a range on an indexed column';

/**
 * Returns the 400 error for a query that timed out. The message suggests how to make it faster,
 * and `details` names the columns without an index, and `q`, which no index serves.
 */
export function queryTimeoutError(query: ReadRows, cause?: unknown): AppError {
  const unindexed = columnsWithoutIndex(query);
  const details: FieldError[] = unindexed.map(({ key: field }) => {
    return {
      field,
      code: 'not_indexed',
      message: 'requires a full scan; mark the column as indexed',
    };
  });
  if (query.search !== null) {
    const message = `requires a scan of every row that matches the filter; add a filter with ${INDEXED_CONDITION}`;
    details.push({ field: 'q', code: 'not_indexed', message });
  }
  const message = `The query timed out. ${advice(query, unindexed.length > 0)}`;
  return new AppError('query_too_expensive', message, { details, cause });
}

function advice({ filter, search }: ReadRows, canIndexMore: boolean): string {
  const hints: string[] = [];
  if (canIndexMore) hints.push('Mark the columns in details as indexed.');
  if (indexUse(filter) !== null) {
    hints.push('Too many rows match. Use a narrower filter.');
  } else if (search !== null) {
    hints.push(`No index serves q. Add a filter with ${INDEXED_CONDITION}.`);
  } else if (!canIndexMore && !isEveryRow(filter)) {
    hints.push(`No index serves this filter. Add a condition with ${INDEXED_CONDITION}.`);
  }
  if (hints.length === 0) hints.push('Request an earlier page, or use cursor instead of page.');
  return hints.join(' ');
}

/** Returns the columns without an index that a request filters or sorts by, each once. */
function columnsWithoutIndex({
  filter,
  sort,
}: Pick<QueryRequest, 'filter' | 'sort'>): SchemaColumn[] {
  const columns = [...filterColumns(filter), ...sort.map(({ column }) => column)];
  return [...new Set(columns)].filter((column) => !hasIndex(column));
}

/** Returns the column of each condition in a filter, including duplicates. */
function filterColumns(filter: Filter): SchemaColumn[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(filterColumns);
    case 'not':
      return filterColumns(filter.part);
    case 'column':
      return [filter.column];
  }
}

/** Returns the error for a page that exceeds MAX_PAGE_BYTES. */
export function pageTooLarge(): Error {
  const message =
    'returns too much data for rows of this size; use a smaller limit or fewer fields';
  return invalidRequest([{ field: 'limit', code: 'too_large', message }]);
}

/** Reads a page with `read`. @throws AppError `invalid_request` if PostgreSQL cannot print it. */
export async function mapTooLongError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isTooLong(error) ? pageTooLarge() : error;
  }
}

/** Like `mapTooLongError`, for a page without a query: if the read times out, it is too large. */
export async function mapTimeoutToTooLarge<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await mapTooLongError(read);
  } catch (error) {
    throw error instanceof QueryTimeoutError ? pageTooLarge() : error;
  }
}
