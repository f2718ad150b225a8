import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError, invalidRequest } from '../../common/error/app-error';

const INFLATERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** So many chunks become one: a chunk of one byte takes some hundred of memory. */
const MERGED_CHUNKS = 256;

/** Told of what comes before it is kept; what it throws refuses the body. */
export interface BodyBounds {
  /** @param bytes As many as were sent until now. */
  sent(bytes: number): void;
  /** @param bytes As many as they become, inflated. */
  kept(bytes: number): void;
}

/**
 * The body's bytes, inflated. Once it is refused nothing of it is kept, and Node reads off the rest
 * behind the answer, within its request timeout: closing the connection at once would take the
 * answer from a client that is still sending.
 * @throws AppError `unsupported_media_type`, or `invalid_request` where it does not come to its end;
 *   and what `bounds` throw.
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

function inflaterFor({ headers }: IncomingMessage): Transform | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  const create = INFLATERS.get(encoding);
  if (create) return create();
  const message = 'Content-Encoding must be gzip, deflate or br.';
  throw new AppError('unsupported_media_type', message);
}

/** 400 for a body that ends before it is complete. */
export function incomplete(): AppError {
  return badBody('incomplete_body', 'ended before it was complete');
}

/** 400 for a body whose compressed bytes are damaged or cut short. */
export function notDecompressed(): AppError {
  return badBody('invalid_compression', 'could not be decompressed');
}

function badBody(code: string, message: string): AppError {
  return invalidRequest([{ field: 'body', code, message }]);
}
