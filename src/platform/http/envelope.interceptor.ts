import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import type { AppRequest } from '../../common/caller/app-request';
import { BareJson } from '../../common/envelope/bare-json';
import { CursorPage } from '../../common/envelope/cursor-page';
import { JsonItem } from '../../common/envelope/json-item';
import { JsonPage } from '../../common/envelope/json-page';
import { Page } from '../../common/envelope/page';
import { pageLinks } from '../../common/paging/page-links';
import { pageMeta } from '../../common/paging/page-meta';

/**
 * Wraps what a controller returns: one object as `{ data }`, a page as `{ data, meta }`,
 * nothing as 204, bare JSON as it is. Failures take the exception filter's way.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const response = http.getResponse<Response>();
    return next.handle().pipe(map((result: unknown) => envelope(result, request, response)));
  }
}

/** The body as JSON text, with the headers that go with it set on the response. */
function envelope(result: unknown, request: AppRequest, response: Response): string | undefined {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  response.setHeader('Cache-Control', reads ? 'private, no-cache' : 'no-store');
  if (result === undefined) {
    response.statusCode = 204;
    return undefined;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (result instanceof BareJson) return result.json;
  if (result instanceof JsonItem) {
    if (result.etag !== undefined) response.setHeader('ETag', result.etag);
    return `{"data":${result.json}}`;
  }
  if (result instanceof CursorPage) {
    const meta = { pageSize: result.count, nextCursor: result.nextCursor };
    return `{"data":${result.json},"meta":${JSON.stringify(meta)}}`;
  }
  const page = result instanceof Page ? printed(result) : result;
  if (!(page instanceof JsonPage)) return `{"data":${JSON.stringify(page)}}`;
  if (page.etag !== undefined) response.setHeader('ETag', page.etag);
  const meta = pageMeta(page.request, page.total, page.count);
  const link = pageLinks(request.path, page.request, request.query, meta.totalPages);
  if (reads && link !== '') response.setHeader('Link', link);
  return `{"data":${page.json},"meta":${JSON.stringify(meta)}}`;
}

function printed(page: Page<unknown>): JsonPage {
  return new JsonPage(JSON.stringify(page.items), page.items.length, page.total, page.request);
}
