import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { etagOfDigest, etagOfText } from './etag';
import { type Coding, encodedTag, type Encoding } from '../../common/conditional/if-match';
import type { JsonResponse } from '../../common/envelope/json-response';
import { pageLinks } from '../../common/paging/page-request';
import { acceptedEncodings, compress, canCompressWithoutWaiting, ifNoneMatchOf } from './compress';
import { encodeInSlices, needsSlices } from './utf8-slices';

/**
 * Bytes that TCP sends in its first ten packets, without waiting for the client. Below that size,
 * compression saves no round trip and reduces the throughput of pages of 20 rows by a quarter.
 */
const MIN_COMPRESSED_BYTES = 14_000;

/**
 * Sends a response with its headers. A read without an ETag gets one computed from the text. If the
 * client already has this text, the response is 304 with no body. If the client accepts compression
 * and it pays off, the text is compressed.
 *
 * Does not use Express's `fresh`, which returns false if the request has `Cache-Control: no-cache`.
 * That directive is for caches on the way, and Node's own `fetch` sends it with every
 * `If-None-Match`.
 * @returns `undefined` if the response was sent synchronously. If the promise rejects, nothing was
 *   sent, and the exception filter handles the error.
 */
export function sendJson(
  response: Response,
  { text, parts }: JsonResponse,
): Promise<void> | undefined {
  const isRead = reads(response);
  const { status, etag, page } = parts;
  if (status !== undefined) response.statusCode = status;
  response.setHeader('Cache-Control', isRead ? 'private, no-cache' : 'no-store');
  if (text !== null) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (isRead && page) {
    const { path, query } = response.req;
    const links = pageLinks(path, page.request, query, page.totalPages);
    if (links !== '') response.setHeader('Link', links);
  }
  for (const name in parts.headers) response.setHeader(name, parts.headers[name] ?? '');
  if (text === null) {
    response.end();
    return undefined;
  }
  return sendText(response, text, etag);
}

function reads({ req: { method } }: Response): boolean {
  return method === 'GET' || method === 'HEAD';
}

function sendText(
  response: Response,
  text: string,
  known: string | undefined,
): Promise<void> | undefined {
  const { headers } = response.req;
  if (needsSlices(text)) return sendInSlices(response, text, known);
  if (!reads(response)) {
    sendUncompressed(response, text);
    return undefined;
  }
  const etag = known ?? etagOfText(text);
  if (known === undefined) response.setHeader('ETag', etag);
  if (sendIfNotModified(response, etag)) return undefined;
  const bytes = Buffer.byteLength(text);
  const encoding = encodingFor(headers['accept-encoding'], bytes);
  if (encoding !== 'identity')
    return sendCompressed(response, () => Buffer.from(text), encoding, etag);
  sendUncompressed(response, text, bytes);
  return undefined;
}

/** Sends a large text, in slices between which other requests have their turns. */
async function sendInSlices(
  response: Response,
  text: string,
  known: string | undefined,
): Promise<void> {
  const { method, headers, caller } = response.req as AppRequest;
  const isRead = reads(response);
  if (isRead && known !== undefined && sendIfNotModified(response, known)) return;
  const slices = await encodeInSlices(text, caller?.accountId ?? '');
  const bytes = slices.reduce((sum, { length }) => sum + length, 0);
  if (isRead) {
    const etag = known ?? (await etagInSlices(slices));
    response.setHeader('ETag', etag);
    if (known === undefined && sendIfNotModified(response, etag)) return;
    const encoding = encodingFor(headers['accept-encoding'], bytes);
    if (encoding !== 'identity') {
      await sendCompressed(response, () => Buffer.concat(slices), encoding, etag);
      return;
    }
  }
  response.setHeader('Content-Length', bytes);
  if (method !== 'HEAD') for (const slice of slices) response.write(slice);
  response.end();
}

/** Returns the same as `etagOfText`. */
async function etagInSlices(slices: readonly Buffer[]): Promise<string> {
  const sum = createHash('sha256');
  for (const slice of slices) {
    sum.update(slice);
    await setImmediate();
  }
  return etagOfDigest(sum.digest('base64url'));
}

/**
 * Responds to a read with 304 if the client already has the version.
 * @param etag ETag of the uncompressed version.
 * @returns whether the response was sent.
 */
export function sendIfNotModified(response: Response, etag: string): boolean {
  response.setHeader('Vary', 'Accept-Encoding');
  const known = ifNoneMatchOf(response.req.headers)?.find(etag);
  if (known === undefined) return false;
  response.statusCode = 304;
  response.setHeader('ETag', known);
  response.removeHeader('Content-Type');
  response.end();
  return true;
}

/** Returns the best encoding for a response of `bytes` bytes. */
export function encodingFor(acceptEncoding: string | undefined, bytes: number): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const accepted = acceptedEncodings(acceptEncoding);
  const [best = 'identity'] = accepted;
  const pays = bytes >= MIN_COMPRESSED_BYTES && canCompressWithoutWaiting(bytes);
  return pays || !accepted.includes('identity') ? best : 'identity';
}

function sendUncompressed(response: Response, text: string, bytes = Buffer.byteLength(text)): void {
  response.setHeader('Content-Length', bytes);
  // If the text is ASCII, valid Latin-1 and UTF-8 alike, Node copies it instead of encoding it.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  response.end(response.req.method === 'HEAD' ? undefined : text, encoding);
}

/** Sets the headers only after compression succeeds: an error response must not have them. */
async function sendCompressed(
  response: Response,
  bytes: () => Buffer,
  coding: Coding,
  etag: string,
): Promise<void> {
  // A HEAD has no Content-Length: only compressing would reveal it.
  const body = response.req.method === 'HEAD' ? undefined : await compress(bytes(), coding);
  response.setHeader('ETag', encodedTag(etag, coding));
  response.setHeader('Content-Encoding', coding);
  if (body) response.setHeader('Content-Length', body.length);
  response.end(body);
}
