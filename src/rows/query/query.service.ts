import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-match';
import { CursorPage, JsonPage, type NotModified } from '../../common/envelope/page';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { DatabaseGate } from '../../platform/database/database-gate';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { ComputedValuesService } from '../computed/computed-values.service';
import type { Reader } from '../link/link-access';
import { encodeCursor } from './cursor';
import { mapTooLongError, pageTooLarge, queryTimeoutError } from './query-errors';
import { type ComputedRequest, queryRequest, type QueryRequest } from './query-request';
import { QueryRepository, type FoundPage } from './query.repository';
import { ViewReader } from '../view/view-reader';
import type { ViewRecord } from '../view/view.repository';
import { type RowQuery, rowQueryEtag } from './row-query';
import { SchemaBoundRead, VersionCheck } from './version-check';

/** A query with the view that it names. */
export interface FoundQuery {
  readonly rowQuery: RowQuery;
  /** `null` if the query names none. */
  readonly view: ViewRecord | null;
}

/** Rows without the values of computed columns. */
interface FoundRows {
  readonly page: JsonPage | CursorPage;
  readonly schema: DatagridSchema;
  readonly computed: ComputedRequest;
}

/** Returns what the response to a query depends on, apart from the rows and the columns. */
export function taggedQuery({ rowQuery, view }: FoundQuery): object {
  return view ? { ...rowQuery, version: view.version } : rowQuery;
}

/** Queries rows of a datagrid by their values. */
@Injectable()
export class QueryService {
  constructor(
    private readonly config: AppConfig,
    private readonly schemas: DatagridSchemaService,
    private readonly bound: SchemaBoundRead,
    private readonly repository: QueryRepository,
    private readonly views: ViewReader,
    private readonly versions: VersionCheck,
    private readonly gate: DatabaseGate,
    private readonly computed: ComputedValuesService,
  ) {}

  /**
   * Returns a page with its total or, if the query has a cursor, the rows after it.
   * @throws AppError `not_found`, `invalid_request` with the path of the invalid part, or
   *   `query_too_expensive`.
   */
  async list(
    reader: Reader,
    datagridId: string,
    rowQuery: RowQuery,
  ): Promise<JsonPage | CursorPage> {
    const view = await this.views.find(reader.accountId, datagridId, rowQuery.view);
    return this.listOf(reader, datagridId, { rowQuery, view });
  }

  private async listOf(
    reader: Reader,
    datagridId: string,
    query: FoundQuery,
  ): Promise<JsonPage | CursorPage> {
    const { accountId } = reader;
    const { page, schema, computed } = await this.bound.run(accountId, datagridId, (schema) =>
      this.listWith(accountId, schema, query),
    );
    if (computed.columns.length === 0) return page;
    return page.withComputed(await this.computed.addTo(reader, schema, computed, page.json));
  }

  /**
   * Returns the same as `list`, or `NotModified` if the client already has the response. In that
   * case no rows are read. An invalid query is rejected in any case. With computed columns, the rows are
   * always read, because its ETag depends on the values.
   * @param ifNoneMatch `If-None-Match` of the request.
   * @throws as `list`
   */
  async listUnlessNotModified(
    reader: Reader,
    datagridId: string,
    rowQuery: RowQuery,
    ifNoneMatch: IfNoneMatch | undefined,
  ): Promise<JsonPage | CursorPage | NotModified> {
    if (ifNoneMatch === undefined) return this.list(reader, datagridId, rowQuery);
    const { accountId } = reader;
    const view = await this.views.find(accountId, datagridId, rowQuery.view);
    const known = await this.gate.run(accountId, async () => {
      queryRequest(await this.schemas.get(accountId, datagridId), rowQuery, view);
      return this.versions.notModified(accountId, datagridId, ifNoneMatch, (version) =>
        rowQueryEtag(version, taggedQuery({ rowQuery, view })),
      );
    });
    return known ?? this.listOf(reader, datagridId, { rowQuery, view });
  }

  /** @returns `null` if the columns are no longer those of `schema`, or the datagrid is deleted. */
  private async listWith(
    accountId: string,
    schema: DatagridSchema,
    query: FoundQuery,
  ): Promise<FoundRows | null> {
    const request = queryRequest(schema, query.rowQuery, query.view);
    try {
      const found = await mapTooLongError(() =>
        this.repository.find(accountId, schema, request, this.config.maxPageBytes),
      );
      if (!found) return null;
      return { page: response(schema, request, found, query), schema, computed: request.computed };
    } catch (error) {
      throw error instanceof QueryTimeoutError ? queryTimeoutError(request, error) : error;
    }
  }
}

function response(
  { datagridId }: DatagridSchema,
  { sort, pagination, viewTag }: QueryRequest,
  found: FoundPage,
  query: FoundQuery,
): JsonPage | CursorPage {
  const etag = rowQueryEtag(found, taggedQuery(query));
  const { json, count, total, next } = found;
  if (json === null) throw pageTooLarge();
  const [rowId, ...values] = next ?? [0];
  const nextCursor = next && encodeCursor(datagridId, sort, { rowId, values }, viewTag);
  if (pagination.kind === 'page') {
    const cursor = sort.length === 0 ? nextCursor : undefined;
    return new JsonPage(json, count, total, pagination.request, etag, undefined, [], cursor);
  }
  return new CursorPage(json, count, nextCursor, etag);
}
