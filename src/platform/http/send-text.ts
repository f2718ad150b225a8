import type { Response } from 'express';
import { encodedTag, type Coding, type Encoding } from '../../common/conditional/encoding';
import { acceptedEncodings, ifNoneMatchOf } from './accepted-encodings';
import { compress } from './compress';
import { etagOfText } from './etag';

/**
 * What TCP sends in its first ten packets, without waiting for the client. Below, compressing saves
 * no round trip, and costs a page of 20 rows a quarter of the requests a second.
 */
const LEAST_COMPRESSED_BYTES = 14_000;

/**
 * Ends a response with a text. A read that has no ETag yet gets one from the text; where the
 * client has this very text already, the answer is 304 and empty; where it takes the text
 * compressed and that pays, it is compressed.
 *
 * Not Express's `fresh`, which gives up where the request says `Cache-Control: no-cache`: that is
 * for caches on the way, and Node's own `fetch` says it with every `If-None-Match`.
 * @returns undefined where all is done; what it rejects with is the exception filter's, and nothing
 *   is sent then.
 */
export function sendText(response: Response, text: string): Promise<void> | undefined {
  const { headers, method } = response.req;
  if (method !== 'GET' && method !== 'HEAD') {
    sendPlain(response, text);
    return undefined;
  }
  response.setHeader('Vary', 'Accept-Encoding');
  if (!response.hasHeader('ETag')) response.setHeader('ETag', etagOfText(text));
  const etag = String(response.getHeader('ETag'));
  const known = ifNoneMatchOf(headers)?.find(etag);
  if (known !== undefined) {
    sendNotModified(response, known);
    return undefined;
  }
  const encoding = encodingFor(headers['accept-encoding'], text);
  if (encoding !== 'identity') return sendCompressed(response, text, encoding, etag);
  sendPlain(response, text);
  return undefined;
}

function encodingFor(acceptEncoding: string | undefined, text: string): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const accepted = acceptedEncodings(acceptEncoding);
  const [best = 'identity'] = accepted;
  const isLarge = Buffer.byteLength(text) >= LEAST_COMPRESSED_BYTES;
  return isLarge || !accepted.includes('identity') ? best : 'identity';
}

function sendPlain(response: Response, text: string): void {
  const bytes = Buffer.byteLength(text);
  response.setHeader('Content-Length', bytes);
  // Of ASCII alone, which Latin-1 shares with UTF-8, Node copies the text instead of encoding it.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  response.end(response.req.method === 'HEAD' ? undefined : text, encoding);
}

function sendNotModified(response: Response, etag: string): void {
  response.statusCode = 304;
  response.setHeader('ETag', etag);
  response.removeHeader('Content-Type');
  response.end();
}

/** Headers are set once nothing can fail: a failure's answer must not have them. */
async function sendCompressed(
  response: Response,
  text: string,
  coding: Coding,
  etag: string,
): Promise<void> {
  const isHead = response.req.method === 'HEAD';
  const bytes = isHead ? undefined : await compress(Buffer.from(text), coding);
  response.setHeader('ETag', encodedTag(etag, coding));
  response.setHeader('Content-Encoding', coding);
  // A HEAD goes without a length, which only the work would tell.
  if (bytes) response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
