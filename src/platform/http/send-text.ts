import { createHash } from 'node:crypto';
import type { Response } from 'express';

/**
 * Ends a response with a text. A read that has no ETag yet gets one from the text; where the
 * client has this very text already, the answer is 304 and empty.
 */
export function sendText(response: Response, text: string): void {
  const { req: request } = response;
  if (request.method === 'GET' || request.method === 'HEAD') {
    if (!response.hasHeader('ETag')) response.setHeader('ETag', etagOf(text));
    if (hasAlready(request.headers['if-none-match'], response.getHeader('ETag'))) {
      response.statusCode = 304;
      response.removeHeader('Content-Type');
      response.end();
      return;
    }
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

/**
 * Not Express's `fresh`, which gives up where the request says `Cache-Control: no-cache`: that is
 * for caches on the way, and Node's own `fetch` says it with every `If-None-Match`.
 */
function hasAlready(ifNoneMatch: string | undefined, etag: unknown): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  // A proxy that compresses makes a validator weak; for a read that is as good.
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}
