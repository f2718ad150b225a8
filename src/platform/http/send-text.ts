import type { Response } from 'express';
import { hasAlready } from '../../common/conditional/if-none-match';
import { etagOfText } from './etag';

/**
 * Ends a response with a text. A read that has no ETag yet gets one from the text; where the
 * client has this very text already, the answer is 304 and empty.
 *
 * Not Express's `fresh`, which gives up where the request says `Cache-Control: no-cache`: that is
 * for caches on the way, and Node's own `fetch` says it with every `If-None-Match`.
 */
export function sendText(response: Response, text: string): void {
  const { req: request } = response;
  if (request.method === 'GET' || request.method === 'HEAD') {
    if (!response.hasHeader('ETag')) response.setHeader('ETag', etagOfText(text));
    if (hasAlready(request.headers['if-none-match'], String(response.getHeader('ETag')))) {
      response.statusCode = 304;
      response.removeHeader('Content-Type');
      response.end();
      return;
    }
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}
