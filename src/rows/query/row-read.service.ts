import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-match';
import { type CursorPage, JsonItem, JsonPage, NotModified } from '../../common/envelope/page';
import { invalidRequest, notFound } from '../../common/error/app-error';
import { parsePageRequest, type PageRequest } from '../../common/paging/page-request';
import { LinkedFilterService } from '../link/linked-filter.service';
import type { Reader } from '../link/link-access';
import { LinkedRowsService } from '../link/linked-rows.service';
import { AppConfig } from '../../platform/config/app-config';
import { DatabaseGate } from '../../platform/database/database-gate';
import { rowEtag } from '../storage/row-json-sql';
import { mapTimeoutToTooLarge, mapTooLongError, pageTooLarge } from './query-errors';
import { QueryService } from './query.service';
import {
  rowQueryWithExpandFromBody,
  ROW_QUERY_NAMES,
  type RowQuery,
  rowQueryFromUrl,
} from './row-query';
import { LargeRowDatagrids, RowReadRepository, type RowVersion } from './row-read.repository';
import { VersionCheck } from './version-check';

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
  ) {}

  /**
   * Returns a page of the rows that match a query. Without filter, sort, fields, q and cursor, it
   * returns a page of all rows in id order, and every page costs the same. With `expand`, it adds the
   * linked rows.
   * @param parameters Query parameters of the request.
   * @param ifNoneMatch `If-None-Match` of the request. If the client already has the response, the
   *   rows of the page are not read. With `expand`, they are, because its ETag has a hash of linked rows.
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
      return this.queryService.listUnlessNotModified(accountId, datagridId, rowQuery, ifNoneMatch);
    }
    const parsed = parsePageRequest(parameters);
    if (!parsed.ok) throw invalidRequest(parsed.errors);
    const page = await this.gate.run(accountId, () =>
      this.readPage(accountId, datagridId, parsed.value, ifNoneMatch),
    );
    return page ?? this.readLargePage(accountId, datagridId, parsed.value);
  }

  /** Like `list`, with the query in a body. @throws as `list` */
  async query(reader: Reader, datagridId: string, body: unknown): Promise<JsonPage | CursorPage> {
    const { rowQuery, expand } = rowQueryWithExpandFromBody(body);
    const read = async (): Promise<JsonPage | CursorPage> => {
      const resolved = await this.withLinkedIds(reader, datagridId, rowQuery);
      return this.queryService.list(reader.accountId, datagridId, resolved);
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
      return new JsonItem(row.json, etagOf(row));
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
  ): Promise<JsonPage | NotModified | null> {
    const known = await this.versions.notModified(accountId, datagridId, ifNoneMatch, etagOf);
    if (known) return known;
    if (this.largeRows.mayHave(datagridId)) return null;
    const page = await mapTooLongError(() =>
      this.repository.findPage(accountId, datagridId, request, this.config.maxPageBytes),
    );
    if (!page) throw notFound('Datagrid');
    if (page.json === null) {
      this.largeRows.note(datagridId);
      return null;
    }
    return new JsonPage(page.json, page.count, page.total, request, etagOf(page));
  }

  private async readLargePage(
    accountId: string,
    datagridId: string,
    request: PageRequest,
  ): Promise<JsonPage> {
    const page = await mapTimeoutToTooLarge(() =>
      this.repository.findLargePage(accountId, datagridId, request, this.config.maxPageBytes),
    );
    if (!page) throw notFound('Datagrid');
    if (page.json === null) throw pageTooLarge();
    return new JsonPage(page.json, page.count, page.total, request, etagOf(page));
  }
}

function etagOf({ revision, schemaVersion }: RowVersion): string {
  return rowEtag(revision, schemaVersion);
}
