import type { Response } from 'express';
import { encodedTag, type Coding, type Encoding } from '../../common/conditional/encoding';
import { acceptedEncodings, ifNoneMatchOf } from './accepted-encodings';
import { compress, compressesAtOnce } from './compress';
import { etagOfText } from './etag';

/**
 * What TCP sends in its first ten packets, without waiting for the client. Below, compressing saves
 * no round trip, and costs a page of 20 rows a quarter of the requests a second.
 */
const MIN_COMPRESSED_BYTES = 14_000;

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
  if (!response.hasHeader('ETag')) response.setHeader('ETag', etagOfText(text));
  const etag = String(response.getHeader('ETag'));
  if (isKnown(response, etag)) return undefined;
  const encoding = encodingFor(headers['accept-encoding'], Buffer.byteLength(text));
  if (encoding !== 'identity') return sendCompressed(response, text, encoding, etag);
  sendPlain(response, text);
  return undefined;
}

/**
 * Ends the response to a read with 304 if the client has the version already.
 * @param etag The version's tag without compression.
 * @returns Whether it has.
 */
export function isKnown(response: Response, etag: string): boolean {
  response.setHeader('Vary', 'Accept-Encoding');
  const known = ifNoneMatchOf(response.req.headers)?.find(etag);
  if (known === undefined) return false;
  response.statusCode = 304;
  response.setHeader('ETag', known);
  response.removeHeader('Content-Type');
  response.end();
  return true;
}

/** The form in which a response of so many bytes is best sent. */
export function encodingFor(acceptEncoding: string | undefined, bytes: number): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const accepted = acceptedEncodings(acceptEncoding);
  const [best = 'identity'] = accepted;
  const pays = bytes >= MIN_COMPRESSED_BYTES && compressesAtOnce(bytes);
  return pays || !accepted.includes('identity') ? best : 'identity';
}

function sendPlain(response: Response, text: string): void {
  const bytes = Buffer.byteLength(text);
  response.setHeader('Content-Length', bytes);
  // Of ASCII alone, which Latin-1 shares with UTF-8, Node copies the text instead of encoding it.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  response.end(response.req.method === 'HEAD' ? undefined : text, encoding);
}

/** Headers are set once nothing can fail: a failure's answer must not have them. */
async function sendCompressed(
  response: Response,
  text: string,
  coding: Coding,
  etag: string,
): Promise<void> {
  const isHead = response.req.method === 'HEAD';
  endCompressed(
    response,
    isHead ? undefined : await compress(Buffer.from(text), coding),
    coding,
    etag,
  );
}

/**
 * @param bytes None for a HEAD, which goes without a length: only the work would tell it.
 * @param etag The version's tag without compression.
 */
export function endCompressed(
  response: Response,
  bytes: Buffer | undefined,
  coding: Coding,
  etag: string,
): void {
  response.setHeader('ETag', encodedTag(etag, coding));
  response.setHeader('Content-Encoding', coding);
  if (bytes) response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
