import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError, type DetailCode, invalidRequest } from '../../common/error/app-error';

const INFLATERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Chunks that are merged into one: a chunk of one byte takes some hundred bytes of memory. */
const MERGED_CHUNKS = 256;

/**
 * Receives the size of a body before its bytes are kept. If a method throws, the body is rejected.
 */
export interface BodyBounds {
  /** @param bytes Total bytes received so far, as sent. */
  sent(bytes: number): void;
  /** @param bytes Total bytes so far, decompressed. */
  kept(bytes: number): void;
}

/**
 * Returns the bytes of the body, decompressed. A rejected body is not kept. Node reads and discards
 * its rest after the response, within the request timeout: closing the connection at once would
 * lose the response for a client that is still sending.
 * @throws AppError `unsupported_media_type`, or `invalid_request` if the body is incomplete or its
 *   compressed bytes are invalid; and any error that `bounds` throws.
 */
export async function receiveBody(request: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const inflater = inflaterFor(request);
  const source = inflater ?? request;
  const chunks: Buffer[] = [];
  let [sentBytes, keptBytes, unmerged] = [0, 0, 0];
  let stopListening = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const bounded = (take: (chunk: Buffer) => void) => (chunk: Buffer) => {
        try {
          take(chunk);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const count = bounded(({ length }) => {
        sentBytes += length;
        bounds.sent(sentBytes);
      });
      const keep = bounded((chunk) => {
        keptBytes += chunk.length;
        bounds.kept(keptBytes);
        chunks.push(chunk);
        unmerged += 1;
        if (unmerged === MERGED_CHUNKS) {
          chunks.push(Buffer.concat(chunks.splice(-MERGED_CHUNKS)));
          unmerged = 0;
        }
      });
      const close = (): void => {
        if (!request.readableEnded) reject(incomplete());
      };
      request.on('data', count).on('close', close);
      source.on('data', keep).on('end', resolve);
      inflater?.on('error', () => {
        reject(notDecompressed());
      });
      stopListening = (): void => {
        request.off('data', count).off('close', close);
        source.off('data', keep).off('end', resolve);
      };
      if (request.destroyed) close();
      else if (inflater) request.pipe(inflater);
    });
    return Buffer.concat(chunks, keptBytes);
  } finally {
    stopListening();
    chunks.length = 0;
    if (inflater) request.unpipe(inflater);
    inflater?.destroy();
    request.resume();
  }
}

/**
 * Returns an uncompressed body that has already arrived in full, as a small one usually does with
 * its headers: without waiting, and without listeners.
 * @returns `undefined` if `receiveBody` must receive the body.
 */
export function takeArrivedBody(request: IncomingMessage, maxBytes: number): Buffer | undefined {
  const { headers, readableLength } = request;
  if (readableLength === 0 || readableLength > maxBytes) return undefined;
  if (headers['content-encoding'] !== undefined) return undefined;
  if (Number(headers['content-length']) !== readableLength) return undefined;
  const bytes = request.read() as Buffer;
  // Lets the request end, so that the connection can serve the next one.
  request.resume();
  return bytes;
}

function inflaterFor({ headers }: IncomingMessage): Transform | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  const create = INFLATERS.get(encoding);
  if (create) return create();
  const message = 'Content-Encoding must be gzip, deflate or br.';
  throw new AppError('unsupported_media_type', message);
}

/** Returns the 400 error for a body that ends before it is complete. */
export function incomplete(): AppError {
  return badBody('incomplete_body', 'ended before it was complete');
}

/** Returns the 400 error for a body whose compressed bytes are damaged or truncated. */
export function notDecompressed(): AppError {
  return badBody('invalid_compression', 'could not be decompressed');
}

function badBody(code: DetailCode, message: string): AppError {
  return invalidRequest([{ field: 'body', code, message }]);
}
