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
    if (request.fresh) {
      response.statusCode = 304;
      response.removeHeader('Content-Type');
      response.end();
      return;
    }
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}
