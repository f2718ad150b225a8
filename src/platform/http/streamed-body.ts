import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import type { StreamPace } from '../fairness/stream-pace';
import { allowLongRequest } from './long-request';
import { incomplete, notDecompressed } from './receive-body';

/** Bytes that are inflated at a time. */
const CHUNK_BYTES = 64 * 1024;

/** How long what a sender has not sent yet is waited for, once nobody wants it. */
const MAX_LEFTOVER_MS = 30_000;

/** A request's body of any length, as it comes. */
export class StreamedBody {
  /** Bytes that have come, before they are inflated. */
  readBytes = 0;

  constructor(private readonly request: AppRequest) {}

  /**
   * Refuses a body of another type or encoding before any of it is read.
   * @returns its type, one of `types`.
   * @throws AppError `unsupported_media_type`
   */
  requireType<Type extends string>(types: readonly Type[]): Type {
    const type = types.find((each) => each === this.contentType);
    if (type === undefined) {
      throw unsupported(`Content-Type must be ${types.join(' or ')}, in UTF-8.`);
    }
    if (!ENCODINGS.has(this.encoding)) throw unsupported('Content-Encoding must be gzip.');
    return type;
  }

  /** As sent; `null` where its sender does not say. */
  get totalBytes(): number | null {
    const { 'content-length': length } = this.request.headers;
    return length === undefined ? null : Number(length);
  }

  /** @throws AppError `invalid_request` if the sender has hung up. */
  requireSender(): void {
    if (isCut(this.request)) throw incomplete();
  }

  /**
   * The bytes, inflated, no faster than they are asked for.
   * @param pace Counts the time that is waited for bytes.
   * @throws AppError `invalid_request` where the body ends early, or `request_timeout` where its
   *   sender is too slow; and the reason that `signal` is aborted with.
   */
  async *chunks(signal: AbortSignal, pace: StreamPace): AsyncGenerator<Buffer> {
    const received = this.receive(signal, pace);
    yield* this.encoding === 'gzip' ? inflated(received) : received;
  }

  /** Lets go of what has not come yet: the answer must reach whoever is still sending. */
  leave(): void {
    const { request } = this;
    if (request.complete) return;
    this.linger();
    // A listener, so that it also flows where whoever has read it lets go of it later only.
    request.on('data', () => undefined).resume();
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, MAX_LEFTOVER_MS);
    timer.unref();
  }

  /**
   * A connection that is to be closed after the answer is closed after the body instead: closed
   * with something unread, it would be reset, and the answer lost on its way.
   */
  private linger(): void {
    const { request } = this;
    const response = request.res;
    if (!response || response.shouldKeepAlive || response.headersSent) return;
    response.shouldKeepAlive = true;
    const close = (): void => {
      if (request.complete && response.writableFinished) request.socket.destroySoon();
    };
    request.once('end', close);
    response.once('finish', close);
  }

  /** `undefined` where its `charset` is not UTF-8, or CSV says that it has no header. */
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
          pace.move(chunk.length);
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

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message);
}

async function* inflated(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(bytes, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    // A fault of zlib has one of its codes; others come from before it.
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? notDecompressed() : error;
  }
}

const ARRIVALS = ['readable', 'end', 'close'] as const;

/**
 * Waits until there is more to be read, or the end. Leaves no listener behind, whatever happens:
 * with one that waits for data, nothing else makes them flow.
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
      end(isCut(request) ? incomplete() : undefined);
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
    else if (isCut(request)) come();
  });
}

const isCut = (request: AppRequest): boolean => request.destroyed && !request.readableEnded;

const readBody = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    new StreamedBody(context.switchToHttp().getRequest<AppRequest>()),
);

/** The request's body as it comes, of one of these types. The service says what it must be. */
export const Streamed = (...types: string[]): ParameterDecorator => {
  const bind = readBody();
  return (prototype, method, index) => {
    bind(prototype, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
    ApiConsumes(...types)(prototype, method ?? '', descriptor);
    ApiBody({ required: true, schema: { type: 'string' } })(prototype, method ?? '', descriptor);
  };
};
