import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import type { StreamPace } from '../fairness/stream-pace';
import { markReadsBody } from './json-body';
import { allowLongRequest, MAX_LEFTOVER_MS } from './slow-clients';
import { incomplete, notDecompressed } from './receive-body';
import { requestOf } from '../load/exchange';

/** Bytes that are decompressed at a time. */
const CHUNK_BYTES = 64 * 1024;

/** Request body of any length, read as it arrives. */
export class StreamedBody {
  /** Bytes received so far, before decompression. */
  readBytes = 0;

  constructor(private readonly request: AppRequest) {}

  /**
   * Rejects a body of another type or encoding before any of it is read.
   * @param hint What to do about another charset.
   * @returns the body's type, one of `types`.
   * @throws AppError `unsupported_media_type`
   */
  requireType<Type extends string>(types: readonly Type[], hint: string): Type {
    const type = types.find((each) => each === this.contentType);
    if (type === undefined) {
      if (WITHOUT_HEADER.test(this.request.headers['content-type'] ?? '')) {
        throw unsupported(
          'A CSV file must begin with a header. Add one, and leave out header=absent.',
        );
      }
      throw unsupported(
        `Content-Type must be ${types.join(' or ')}. A charset parameter must be utf-8${hint}.`,
      );
    }
    if (!ENCODINGS.has(this.encoding)) throw unsupported('Content-Encoding must be gzip.');
    return type;
  }

  /** Length of the body as sent; `null` if the client does not declare it. */
  get totalBytes(): number | null {
    const { 'content-length': length } = this.request.headers;
    return length === undefined ? null : Number(length);
  }

  /** @throws AppError `invalid_request` if the client has disconnected. */
  requireSender(): void {
    if (isIncomplete(this.request)) throw incomplete();
  }

  /**
   * Yields the decompressed bytes, no faster than they are consumed.
   * @param pace Counts the time spent waiting for bytes.
   * @throws AppError `invalid_request` if the body ends early or cannot be decompressed,
   *   `request_timeout` if the client is too slow; and the reason with which `signal` is aborted.
   */
  async *chunks(signal: AbortSignal, pace: StreamPace): AsyncGenerator<Buffer> {
    const received = this.receive(signal, pace);
    yield* this.encoding === 'gzip' ? inflated(received) : received;
  }

  /**
   * Discards the rest of the body, so that the response reaches a client that is still sending.
   * Closes the connection if the body does not end within MAX_LEFTOVER_MS.
   */
  leave(): void {
    const { request } = this;
    if (request.complete) return;
    // The listener keeps the body flowing even if its reader detaches later.
    request.on('data', () => undefined).resume();
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, MAX_LEFTOVER_MS);
    timer.unref();
  }

  /**
   * Media type in lower case; `undefined` if its `charset` is not UTF-8 or its `header` parameter
   * says that CSV has no header.
   */
  private get contentType(): string | undefined {
    const type = this.request.headers['content-type'] ?? '';
    return MEDIA_TYPE.exec(type)?.[1]?.toLowerCase();
  }

  private get encoding(): string {
    return this.request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  }

  private async *receive(signal: AbortSignal, pace: StreamPace): AsyncGenerator<Buffer> {
    const { request } = this;
    const end = allowLongRequest(request.socket);
    try {
      for (;;) {
        const chunk = request.read() as Buffer | null;
        if (chunk) {
          this.readBytes += chunk.length;
          pace.recordTransfer(chunk.length);
          yield chunk;
        } else if (request.readableEnded) {
          return;
        } else {
          await arrival(request, signal, pace);
        }
      }
    } finally {
      end();
    }
  }
}

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip']);
const MEDIA_TYPE =
  /^([^;\s]+)\s*(?:;\s*(?:charset\s*=\s*"?utf-8"?|header\s*=\s*"?present"?)\s*){0,2};?$/i;
const WITHOUT_HEADER = /^text\/csv\b.*;\s*header\s*=\s*"?absent\b/i;

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message);
}

async function* inflated(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(bytes, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    // Errors of zlib have codes that begin with `Z_`. Other errors come from the source.
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? notDecompressed() : error;
  }
}

const ARRIVALS = ['readable', 'end', 'close'] as const;

/**
 * Waits until more data or the end arrives. Always removes its listeners: while a `readable`
 * listener is attached, nothing else makes the data flow.
 */
function arrival(request: AppRequest, signal: AbortSignal, pace: StreamPace): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (error?: Error): void => {
      stopWaiting();
      signal.removeEventListener('abort', stop);
      for (const event of ARRIVALS) request.off(event, come);
      if (error) reject(error);
      else resolve();
    };
    const come = (): void => {
      end(isIncomplete(request) ? incomplete() : undefined);
    };
    const stop = (): void => {
      end(signal.reason as Error);
    };
    const stopWaiting = pace.startWaiting(() => {
      end(new AppError('request_timeout', 'The client sends the request body too slowly.'));
    });
    signal.addEventListener('abort', stop);
    for (const event of ARRIVALS) request.on(event, come);
    if (signal.aborted) stop();
    else if (isIncomplete(request)) come();
  });
}

const isIncomplete = (request: AppRequest): boolean => request.destroyed && !request.readableEnded;

const readBody = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new StreamedBody(requestOf(context)),
);

/** The request body as a stream, documented as one of `types`. The service validates its type. */
export const Streamed = (...types: string[]): ParameterDecorator => {
  const bind = readBody();
  return (prototype, method, index) => {
    bind(prototype, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
    markReadsBody(descriptor.value);
    ApiConsumes(...types)(prototype, method ?? '', descriptor);
    ApiBody({ required: true, schema: { type: 'string', format: 'binary' } })(
      prototype,
      method ?? '',
      descriptor,
    );
  };
};
