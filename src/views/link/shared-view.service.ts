import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { hashSecretToken, isSecretToken } from '../../auth/secret-token';
import {
  LAST_USED_EVERY_SECONDS,
  LastUse,
  secondsUntilLastUseIsDue,
} from '../../auth/session/session.service';
import { BatchLoader } from '../../common/async/batch-loader';
import { JsonResponse } from '../../common/envelope/json-response';
import {
  AppError,
  conflict,
  invalidField,
  invalidRequest,
  notFound,
  unavailable,
} from '../../common/error/app-error';
import { isStart, parsePageRequest, START_CURSOR } from '../../common/paging/page-request';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { DatabaseGate } from '../../platform/database/database-gate';
import { isTooLong } from '../../platform/database/database-error';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import type { CountedResponse } from '../../platform/load/load';
import { Logger } from '../../platform/logging/logger';
import { encodeCursor } from '../../rows/query/cursor';
import { pageTooLarge } from '../../rows/query/query-errors';
import { queryRequest, type QueryRequest } from '../../rows/query/query-request';
import { type FoundPage, QueryPageRepository } from '../../rows/read/query-page.repository';
import { layoutOf, publishedColumns, savedQueryOf } from '../view-selection';
import { type ViewRecord, ViewRepository } from '../view.repository';
import { openCursor, sealCursor } from './sealed-cursor';
import { SharedViewLimits } from './shared-view-limits';
import { type FoundLink, ViewLinkRepository } from './view-link.repository';

/** Maximum size of a page of several rows. Readers may be many and slow. */
const MAX_BYTES = 1024 * 1024;
/** Longer cursors do not fit a URL. */
const MAX_CURSOR_LENGTH = 6_000;
const MAX_ATTEMPTS = 3;

/** Headers of every response about a link. */
export const SHARED_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

/** What a link shows, at one version of the columns. */
interface SharedView {
  readonly link: FoundLink;
  readonly view: ViewRecord;
  readonly schema: DatagridSchema;
}

/**
 * Reads the rows of public links, for anybody who knows a token. Only values of published columns leave
 * this class: no ids, times or revisions of rows, no readable cursor, and no error that names a column.
 * A token that does not work, for whatever reason, always causes the same error.
 */
@Injectable()
export class SharedViewService {
  private readonly links: BatchLoader<FoundLink>;
  private readonly lastUse: LastUse;

  constructor(
    private readonly config: AppConfig,
    private readonly limits: SharedViewLimits,
    private readonly views: ViewRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly pages: QueryPageRepository,
    private readonly gate: DatabaseGate,
    repository: ViewLinkRepository,
    logger: Logger,
  ) {
    this.links = new BatchLoader((hashes) => repository.findByHashes(hashes));
    const write = (id: string): Promise<void> => repository.touch(id, LAST_USED_EVERY_SECONDS);
    this.lastUse = new LastUse('link', write, logger);
  }

  /**
   * Returns rows of the view with their columns.
   * @param query `limit`, 1 to 200, 20 by default; `cursor`, the `nextCursor` of the previous page.
   * @throws AppError `not_found`, `invalid_request`, `conflict`, `rate_limited` or `unavailable`.
   */
  async rows(
    token: string,
    query: Readonly<Record<string, unknown>>,
    response: Response & CountedResponse,
  ): Promise<JsonResponse> {
    return this.with(token, response, async (link) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const shared = await this.viewOf(link);
        const request = requestOf(shared, query);
        const { accountId } = link;
        const maxBytes = this.maxBytesOf(request);
        const found = await this.pages.find(accountId, shared.schema, request, maxBytes);
        if (found) return JsonResponse.bare(printed(shared, request, found), SHARED_HEADERS);
      }
      throw unavailable('The columns of this datagrid keep changing. Retry later.');
    });
  }

  /** A page of one row can be larger, so that readers get every row and those after it. */
  private maxBytesOf({ pagination }: QueryRequest): number {
    const { maxPageBytes } = this.config;
    const isOneRow = pagination.kind === 'cursor' && pagination.limit === 1;
    return isOneRow ? maxPageBytes : Math.min(MAX_BYTES, maxPageBytes);
  }

  /** Returns whether a token works. @throws AppError `rate_limited` or `unavailable`. */
  async works(token: string, response: Response & CountedResponse): Promise<boolean> {
    try {
      await this.with(token, response, (link) => this.viewOf(link));
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }

  private async with<T>(
    token: string,
    response: Response & CountedResponse,
    work: (link: FoundLink) => Promise<T>,
  ): Promise<T> {
    const link = await this.find(token);
    const release = await this.limits.enter(link, response);
    try {
      return await work(link);
    } catch (error) {
      throw publicError(error);
    } finally {
      release();
    }
  }

  private async find(token: string): Promise<FoundLink> {
    const hash = isSecretToken(token) ? hashSecretToken(token).toString('hex') : null;
    const link = hash === null ? null : await this.links.get(hash);
    if (!link) throw noLink();
    if (secondsUntilLastUseIsDue(link) === 0) this.lastUse.touch(link.id);
    return link;
  }

  private async viewOf(link: FoundLink): Promise<SharedView> {
    const { accountId, datagridId, viewId } = link;
    return this.gate.run(accountId, async () => {
      const view = await this.views.find(accountId, datagridId, viewId);
      if (!view) throw noLink();
      return { link, view, schema: await this.schemas.get(accountId, datagridId) };
    });
  }
}

function requestOf(
  { link, view, schema }: SharedView,
  { limit, cursor }: Readonly<Record<string, unknown>>,
): QueryRequest {
  const paging = parsePageRequest({ limit });
  if (!paging.ok) throw invalidRequest(paging.errors);
  const none = { filter: undefined, sort: undefined, fields: undefined, q: undefined };
  const rowQuery = {
    ...none,
    paging: paging.value,
    cursor: openedCursor(link, cursor),
    view: view.id,
  };
  const fields = publishedColumns(schema, view, link.columnIds);
  return { ...queryRequest(schema, rowQuery, savedQueryOf(view)), fields, isPublic: true };
}

function openedCursor({ cursorKey }: FoundLink, sealed: unknown): string {
  if (sealed === undefined) return START_CURSOR;
  if (typeof sealed === 'string' && isStart(sealed)) return START_CURSOR;
  const cursor = typeof sealed === 'string' ? openCursor(cursorKey, sealed) : null;
  if (cursor === null) throw invalidField('cursor', 'invalid_format', 'is not a valid cursor');
  return cursor;
}

function printed(
  { link, view, schema }: SharedView,
  { sort, viewTag, fields }: QueryRequest,
  { json, count, next }: FoundPage,
): string {
  if (json === null) throw pageTooLarge();
  const widths = new Map(
    layoutOf(schema, view).map(({ column, layout }) => [column, layout.width]),
  );
  const columns = (fields ?? []).map((column) => {
    const { key, title, type } = column;
    return { key, title, type, width: widths.get(column) };
  });
  const [rowId, ...values] = next ?? [0];
  const cursor = next && encodeCursor(schema.datagridId, sort, { rowId, values }, viewTag);
  if (cursor !== null && cursor.length > MAX_CURSOR_LENGTH) throw notShown();
  const nextCursor = cursor === null ? null : sealCursor(link.cursorKey, cursor);
  const meta = { name: view.name, columns, pageSize: count, nextCursor };
  return `{"data":${json},"meta":${JSON.stringify(meta)}}`;
}

/** Returns the error for readers: without names of columns, filters or other secrets of the account. */
function publicError(error: unknown): unknown {
  if (isTooLong(error)) return pageTooLarge();
  if (error instanceof QueryTimeoutError) return notShown();
  if (!(error instanceof AppError)) return error;
  const { code, details } = error;
  if (code === 'not_found') return noLink();
  if (code === 'rate_limited' || code === 'unavailable') return error;
  const isOfReader = details.every(({ field }) => field === 'cursor' || field === 'limit');
  return code === 'invalid_request' && isOfReader ? error : notShown();
}

const noLink = (): AppError => notFound('Link');

function notShown(): AppError {
  return conflict('This view cannot be displayed. Ask the person who shared it.');
}
