import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import type { RowDto } from './dto/row.dto';
import type { Reader } from './link/link-access';
import { LinkedRowsService } from './link/linked-rows.service';
import {
  rowQueryFromBody,
  rowQueryFromUrl,
  type RowQuery,
  type RowQueryWithExpand,
} from './query/row-query';
import { type EnrichedRows, RowEnrichment } from './read/row-enrichment';
import { type FoundRowPage, RowReader } from './read/row-reader';
import { planOf } from './read/row-plan';
import { RowRequestResolver } from './read/row-request';

/** Reads rows of a datagrid, as text that PostgreSQL has printed. */
@Injectable()
export class RowReadService {
  constructor(
    private readonly resolver: RowRequestResolver,
    private readonly reader: RowReader,
    private readonly enrichment: RowEnrichment,
    private readonly linkedRows: LinkedRowsService,
  ) {}

  /**
   * Returns a page of the rows that match a query. Without filter, sort, fields, q and cursor, it
   * returns a page of all rows in id order, and every page costs the same.
   * @param parameters Query parameters of the request.
   * @throws AppError `not_found`, `invalid_request`, `forbidden`, `query_too_expensive`, `rate_limited`
   *   or `unavailable`.
   */
  list(
    reader: Reader,
    datagridId: string,
    parameters: Readonly<Record<string, unknown>>,
    ifNoneMatch?: IfNoneMatch,
  ): Promise<JsonResponse<RowDto[]>> {
    return this.read(reader, datagridId, rowQueryFromUrl(parameters), ifNoneMatch);
  }

  /** Like `list`, with the query in a body. @throws as `list` */
  query(reader: Reader, datagridId: string, body: unknown): Promise<JsonResponse<RowDto[]>> {
    return this.read(reader, datagridId, rowQueryFromBody(body));
  }

  /**
   * @param ifNoneMatch If it names the current version, no rows are read. Responses with linked rows or
   *   computed columns are always read, because their ETag depends on other rows.
   */
  private async read(
    reader: Reader,
    datagridId: string,
    sent: RowQueryWithExpand,
    ifNoneMatch?: IfNoneMatch,
  ): Promise<JsonResponse<RowDto[]>> {
    const { accountId } = reader;
    const request = await this.resolver.resolve(reader, datagridId, sent);
    const plan = planOf(request);
    const known =
      ifNoneMatch && !request.expansions
        ? await this.reader.findKnown(accountId, datagridId, plan, ifNoneMatch)
        : null;
    if (known !== null) return JsonResponse.notModified(known);
    const found = await this.reader.read(accountId, datagridId, plan);
    const enriched = await this.enrichment.add(reader, found, request.expansions);
    return listResponse(request.rowQuery, found, enriched);
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
  ): Promise<JsonResponse<RowDto>> {
    const expansions =
      expand === undefined ? null : await this.linkedRows.parse(reader, datagridId, expand);
    const found = await this.reader.readOne(reader.accountId, datagridId, rowId);
    const { json, ...parts } = await this.enrichment.add(reader, found, expansions);
    return JsonResponse.printed(json.slice(1, -1), parts);
  }
}

function listResponse(
  { cursor, paging }: RowQuery,
  { count, total, nextCursor }: FoundRowPage,
  { json, etag, withheld, linked }: EnrichedRows,
): JsonResponse<RowDto[]> {
  const parts = { etag, withheld, linked, nextCursor };
  return cursor === undefined
    ? JsonResponse.printedPage(json, count, total, paging, parts)
    : JsonResponse.cursorPage(json, count, nextCursor ?? null, parts);
}
