import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { from, mergeMap, type Observable, of } from 'rxjs';
import type { AppRequest } from '../../common/caller/app-request';
import {
  BareJson,
  CursorPage,
  feedMeta,
  FeedPage,
  Item,
  JsonItem,
  JsonList,
  JsonPage,
  LocatedItem,
  NotModified,
  Page,
} from '../../common/envelope/page';
import { printingNumbers, withJavaScriptNumbers } from '../../common/json/printed-numbers';
import { pageLinks, pageMeta } from '../../common/paging/page-request';
import { runInSlices } from '../fairness/event-loop-turns';
import { LARGE_BYTES } from '../load/memory-budget';
import type { CountedResponse } from '../load/load';
import { accessOf, changesData } from './access';
import { etagOfText, RawResponse } from './send-text';
import { FileResponse } from './file-response';
import { PreparedResponse } from './prepared-response';
import { LiveResponse } from './live-response';
import { StreamedResponse } from './streamed-response';
import { needsSlices } from './utf8-slices';

type Sendable =
  | string
  | LiveResponse
  | StreamedResponse
  | FileResponse
  | PreparedResponse
  | RawResponse
  | undefined;

/**
 * Wraps a controller's return value: one object as `{ data }`, a page as `{ data, meta }`,
 * `undefined` as 204, and bare JSON unchanged. The exception filter handles errors.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const response = http.getResponse<Response & CountedResponse>();
    return next.handle().pipe(
      mergeMap((result: unknown) => {
        const body = envelope(result, request, response);
        if (typeof body !== 'string') return of(body);
        if (body.length > LARGE_BYTES) {
          // A write reserved its memory before the commit. A read can still be rejected here.
          if (!changesData(accessOf(context.getHandler()))) response.reserve(body.length);
        }
        // Pages of feeds have been printed for all readers.
        if (result instanceof FeedPage) return of(body);
        if (!needsSlices(body)) return of(withJavaScriptNumbers(body));
        const accountId = request.caller?.accountId ?? '';
        return from(runInSlices(accountId, (isDue) => printingNumbers(body, isDue)));
      }),
    );
  }
}

/** Returns the body as JSON text and sets the headers that belong to it. */
function envelope(result: unknown, request: AppRequest, response: Response): Sendable {
  if (result instanceof StreamedResponse || result instanceof FileResponse) return result;
  if (result instanceof PreparedResponse || result instanceof LiveResponse) return result;
  if (result instanceof RawResponse) return result;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  response.setHeader('Cache-Control', reads ? 'private, no-cache' : 'no-store');
  if (result === undefined) {
    response.statusCode = 204;
    return undefined;
  }
  if (result instanceof LocatedItem) return located(result);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (result instanceof BareJson) {
    for (const [name, value] of Object.entries(result.headers)) response.setHeader(name, value);
    return result.json;
  }
  if (result instanceof JsonPage || result instanceof Page) return list(result, request, response);
  if (result instanceof CursorPage) {
    tag(response, result.etag);
    const meta = { pageSize: result.count, nextCursor: result.nextCursor };
    return `{"data":${result.json},"meta":${metaText(meta, result)}}`;
  }
  if (result instanceof JsonList) {
    tag(response, result.etag);
    return `{"data":${result.json},"meta":${JSON.stringify({ total: result.total })}}`;
  }
  if (result instanceof FeedPage) {
    return `{"data":${result.json},"meta":${feedMeta(result)}}`;
  }
  if (result instanceof NotModified) {
    tag(response, result.etag);
    // The client already has this version: `sendText` detects that and responds with 304.
    return '';
  }
  const isPlain =
    !(result instanceof JsonItem) || (result.linked === undefined && result.withheld.length === 0);
  const meta = isPlain ? '' : `,"meta":${metaText({}, result)}`;
  return `{"data":${one(result, response)}${meta}}`;
}

/**
 * Returns `meta` as JSON text. If the request has `expand`, it includes `linked`. If the reader has no
 * access to some computed values, it includes `withheld`.
 */
function metaText(
  meta: object,
  { linked, withheld }: Pick<JsonPage, 'linked' | 'withheld'>,
): string {
  const text = JSON.stringify(withheld.length > 0 ? { ...meta, withheld } : meta);
  if (linked === undefined) return text;
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}"linked":${linked}}`;
}

function located({ data, location, isComplete, isReplayed }: LocatedItem): RawResponse {
  const headers = { Location: location, ...(isReplayed && { 'Idempotent-Replayed': 'true' }) };
  return new RawResponse(isComplete ? 201 : 202, headers, `{"data":${JSON.stringify(data)}}`);
}

function one(result: unknown, response: Response): string {
  const json =
    result instanceof JsonItem
      ? result.json
      : JSON.stringify(result instanceof Item ? result.data : result);
  const isTagged = result instanceof JsonItem || result instanceof Item;
  tag(response, isTagged ? result.etag : etagOfText(json));
  return json;
}

function list(result: JsonPage | Page<unknown>, request: AppRequest, response: Response): string {
  const page = result instanceof Page ? printed(result) : result;
  tag(response, page.etag);
  const meta = pageMeta(page.request, page.total, page.count);
  const link = pageLinks(request.path, page.request, request.query, meta.totalPages);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && link !== '') response.setHeader('Link', link);
  const { nextCursor } = page;
  const all = nextCursor === undefined ? meta : { ...meta, nextCursor };
  return `{"data":${page.json},"meta":${metaText(all, page)}}`;
}

function tag(response: Response, etag: string | undefined): void {
  if (etag !== undefined) response.setHeader('ETag', etag);
}

function printed(page: Page<unknown>): JsonPage {
  return new JsonPage(JSON.stringify(page.items), page.items.length, page.total, page.request);
}
