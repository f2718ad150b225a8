import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError, invalidRequest } from '../../common/error/app-error';
import { allowLongRequest } from './long-request';

/** Bytes that are inflated at a time. */
const CHUNK_BYTES = 64 * 1024;

/** How long a sender may say nothing. */
const MOST_SILENCE_MS = 60_000;

/** How long what a sender has not sent yet is waited for, once nobody wants it. */
const MOST_LEFTOVER_MS = 30_000;

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

  /**
   * The bytes, inflated, no faster than they are asked for.
   * @throws AppError `invalid_request` where the body ends early, or `request_timeout`; and the
   *   reason that `signal` is aborted with.
   */
  async *chunks(signal: AbortSignal): AsyncGenerator<Buffer> {
    const received = this.receive(signal);
    yield* this.encoding === 'gzip' ? inflated(received) : received;
  }

  /** Lets go of what has not come yet: the answer must reach whoever is still sending. */
  leave(): void {
    const { request } = this;
    if (request.complete) return;
    request.resume();
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, MOST_LEFTOVER_MS);
    timer.unref();
  }

  /** Without parameters but `charset`, which must be UTF-8; `undefined` where it is another. */
  private get contentType(): string | undefined {
    const type = this.request.headers['content-type'] ?? '';
    return MEDIA_TYPE.exec(type)?.[1]?.toLowerCase();
  }

  private get encoding(): string {
    return this.request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  }

  private async *receive(signal: AbortSignal): AsyncGenerator<Buffer> {
    const end = allowLongRequest(this.request.socket);
    const chunks = this.request.iterator({ destroyOnReturn: false });
    try {
      for (;;) {
        const next = await within(MOST_SILENCE_MS, signal, chunks.next().catch(refuseCut));
        if (next.done === true) return;
        const chunk = next.value as Buffer;
        this.readBytes += chunk.length;
        yield chunk;
      }
    } finally {
      end();
    }
  }
}

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip']);
const MEDIA_TYPE = /^([^;\s]+)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message);
}

function refuseCut(): never {
  throw unreadable();
}

function unreadable(): AppError {
  const message = 'could not be read to its end';
  return invalidRequest([{ field: 'body', code: 'unreadable', message }]);
}

async function* inflated(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(bytes, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    // A fault of zlib has one of its codes; others come from before it.
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? unreadable() : error;
  }
}

/** What `work` gives; unless it takes too long, or is not wanted any more. */
function within<T>(timeoutMs: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      reject(new AppError('request_timeout', 'The request took too long to arrive.'));
    }, timeoutMs);
    const stop = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(end);
  });
}

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
