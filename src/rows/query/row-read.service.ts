import { Injectable } from '@nestjs/common';
import { extendedEtag, type IfNoneMatch } from '../../common/conditional/if-match';
import { type CursorPage, JsonItem, JsonPage, NotModified } from '../../common/envelope/page';
import { invalidRequest, notFound } from '../../common/error/app-error';
import { hasRowsAfter, parsePageRequest, type PageRequest } from '../../common/paging/page-request';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { type ComputedRows, ComputedValuesService } from '../computed/computed-values.service';
import { LinkedFilterService } from '../link/linked-filter.service';
import type { Reader } from '../link/link-access';
import { LinkedRowsService } from '../link/linked-rows.service';
import { AppConfig } from '../../platform/config/app-config';
import { DatabaseGate } from '../../platform/database/database-gate';
import { rowEtag } from '../storage/row-json-sql';
import { encodeCursor } from './cursor';
import { mapTimeoutToTooLarge, mapTooLongError, pageTooLarge } from './query-errors';
import { QueryService } from './query.service';
import {
  rowQueryWithExpandFromBody,
  ROW_QUERY_NAMES,
  type RowQuery,
  rowQueryFromUrl,
} from './row-query';
import {
  LargeRowDatagrids,
  type RowPageText,
  RowReadRepository,
  type RowVersion,
} from './row-read.repository';
import { VersionCheck } from './version-check';

/** A page whose rows are printed. */
type PrintedPage = RowPageText & { readonly json: string };

/** Reads rows of a datagrid, as text that PostgreSQL has printed. */
@Injectable()
export class RowReadService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: RowReadRepository,
    private readonly queryService: QueryService,
    private readonly versions: VersionCheck,
    private readonly gate: DatabaseGate,
    private readonly largeRows: LargeRowDatagrids,
    private readonly linkedRows: LinkedRowsService,
    private readonly linkedFilters: LinkedFilterService,
    private readonly schemas: DatagridSchemaService,
    private readonly computed: ComputedValuesService,
  ) {}

  /**
   * Returns a page of the rows that match a query. Without filter, sort, fields, q and cursor, it
   * returns a page of all rows in id order, and every page costs the same. With `expand`, it adds the
   * linked rows.
   * @param parameters Query parameters of the request.
   * @param ifNoneMatch `If-None-Match` of the request. If the client already has the response, the
   *   rows of the page are not read. With `expand` or computed columns, they are, because its ETag
   *   depends on the response.
   * @throws AppError `not_found`, `invalid_request`, `forbidden`, `query_too_expensive`, `rate_limited`
   *   or `unavailable`.
   */
  async list(
    reader: Reader,
    datagridId: string,
    parameters: Readonly<Record<string, unknown>>,
    ifNoneMatch?: IfNoneMatch,
  ): Promise<JsonPage | CursorPage | NotModified> {
    const { expand, fields } = parameters;
    if (expand === undefined) return this.listRows(reader, datagridId, parameters, ifNoneMatch);
    return this.linkedRows.expandPage(reader, datagridId, expand, fields, async () => {
      const page = await this.listRows(reader, datagridId, parameters, undefined);
      if (page instanceof NotModified)
        throw new Error('The page was not read, although no If-None-Match was passed.');
      return page;
    });
  }

  private async listRows(
    reader: Reader,
    datagridId: string,
    parameters: Readonly<Record<string, unknown>>,
    ifNoneMatch: IfNoneMatch | undefined,
  ): Promise<JsonPage | CursorPage | NotModified> {
    const { accountId } = reader;
    if (!ROW_QUERY_NAMES.every((name) => parameters[name] === undefined)) {
      const rowQuery = await this.withLinkedIds(reader, datagridId, rowQueryFromUrl(parameters));
      return this.queryService.listUnlessNotModified(reader, datagridId, rowQuery, ifNoneMatch);
    }
    const parsed = parsePageRequest(parameters);
    if (!parsed.ok) throw invalidRequest(parsed.errors);
    const request = parsed.value;
    const small = await this.gate.run(accountId, () =>
      this.readPage(accountId, datagridId, request, ifNoneMatch),
    );
    if (small instanceof NotModified) return small;
    const found = small ?? (await this.readLargePage(accountId, datagridId, request));
    const { json, count, total } = found;
    const next = nextCursor(datagridId, found, request);
    const page = new JsonPage(json, count, total, request, etagOf(found), undefined, [], next);
    if (!found.hasComputed) return page;
    return page.withComputed(await this.computedOf(reader, datagridId, found, json));
  }

  /** Adds the values of all computed columns to rows. @param json Array of rows. */
  private async computedOf(
    reader: Reader,
    datagridId: string,
    { schemaVersion }: RowVersion,
    json: string,
  ): Promise<ComputedRows> {
    const { accountId } = reader;
    const schema = await this.gate.run(accountId, () =>
      this.schemas.getAt(accountId, datagridId, schemaVersion),
    );
    const columns = [...schema.computed.values()];
    return this.computed.addTo(reader, schema, { columns, addedKeys: [] }, json);
  }

  /** Like `list`, with the query in a body. @throws as `list` */
  async query(reader: Reader, datagridId: string, body: unknown): Promise<JsonPage | CursorPage> {
    const { rowQuery, expand } = rowQueryWithExpandFromBody(body);
    const read = async (): Promise<JsonPage | CursorPage> => {
      const resolved = await this.withLinkedIds(reader, datagridId, rowQuery);
      return this.queryService.list(reader, datagridId, resolved);
    };
    if (expand === undefined) return read();
    return this.linkedRows.expandPage(reader, datagridId, expand, rowQuery.fields, read);
  }

  /** Returns the query with the ids of linked rows in place of each `$row` condition. */
  private async withLinkedIds(
    reader: Reader,
    datagridId: string,
    rowQuery: RowQuery,
  ): Promise<RowQuery> {
    const filter = await this.linkedFilters.resolve(reader, datagridId, rowQuery.filter);
    return filter === rowQuery.filter ? rowQuery : { ...rowQuery, filter };
  }

  /**
   * Returns a row, with `expand` also its linked rows.
   * @throws AppError `not_found`; with `expand` also `invalid_request`, `forbidden`, `rate_limited` or
   *   `unavailable`.
   */
  async get(
    reader: Reader,
    datagridId: string,
    rowId: number,
    { expand }: Readonly<Record<string, unknown>>,
  ): Promise<JsonItem> {
    const { accountId } = reader;
    const read = async (): Promise<JsonItem> => {
      const row = await this.gate.run(accountId, () =>
        this.repository.findOne(accountId, datagridId, rowId),
      );
      if (!row) throw notFound('Row');
      if (!row.hasComputed) return new JsonItem(row.json, etagOf(row));
      const computed = await this.computedOf(reader, datagridId, row, `[${row.json}]`);
      const etag = extendedEtag(etagOf(row), computed.digest);
      return new JsonItem(computed.json.slice(1, -1), etag, undefined, computed.withheld);
    };
    if (expand === undefined) return read();
    return this.linkedRows.expandItem(reader, datagridId, expand, read);
  }

  /** Reads a page of small rows. @returns `null` if the page needs `LARGE_ROWS_PAGE`. */
  private async readPage(
    accountId: string,
    datagridId: string,
    request: PageRequest,
    ifNoneMatch: IfNoneMatch | undefined,
  ): Promise<PrintedPage | NotModified | null> {
    const known = await this.versions.notModified(accountId, datagridId, ifNoneMatch, etagOf);
    if (known) return known;
    if (this.largeRows.mayHave(datagridId)) return null;
    const page = await mapTooLongError(() =>
      this.repository.findPage(accountId, datagridId, request, this.config.maxPageBytes),
    );
    if (!page) throw notFound('Datagrid');
    if (page.json !== null) return { ...page, json: page.json };
    this.largeRows.note(datagridId);
    return null;
  }

  private async readLargePage(
    accountId: string,
    datagridId: string,
    request: PageRequest,
  ): Promise<PrintedPage> {
    const page = await mapTimeoutToTooLarge(() =>
      this.repository.findLargePage(accountId, datagridId, request, this.config.maxPageBytes),
    );
    if (!page) throw notFound('Datagrid');
    if (page.json === null) throw pageTooLarge();
    return { ...page, json: page.json };
  }
}

/** Returns the cursor that continues after a page; `null` if no rows follow. */
function nextCursor(
  datagridId: string,
  { lastId, total, count }: RowPageText,
  request: PageRequest,
): string | null {
  if (lastId === null || !hasRowsAfter(request, total, count)) return null;
  return encodeCursor(datagridId, [], { rowId: lastId, values: [] }, null);
}

function etagOf({ revision, schemaVersion }: RowVersion): string {
  return rowEtag(revision, schemaVersion);
}
