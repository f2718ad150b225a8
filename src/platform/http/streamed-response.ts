import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Response } from 'express';
import { unavailable } from '../../common/error/app-error';
import { IfNoneMatch } from '../../common/conditional/if-match';
import { acceptedEncodings } from './compress';
import { cutResponse } from './cut-response';
import { StreamPace, type PaceLimits } from '../fairness/stream-pace';
import { socketProgress } from './slow-clients';
import { Spool, type SpoolRoom } from './spool';

/** Source of a streamed response. */
export interface ResponseSource {
  /**
   * Yields the body as fast as it is produced. Returns the trailers that mark the body as complete.
   */
  chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>>;
  /** Releases the source's resources. Called even if nothing was read, possibly more than once. */
  close(): void;
}

export interface StreamedResponseOptions {
  readonly contentType: string;
  readonly etag: string;
  /** Names of the trailers. */
  readonly trailers: readonly string[];
  /** Disk room that all responses share. */
  readonly spoolRoom: SpoolRoom;
  /** Ends the response before it is complete. */
  readonly signal: AbortSignal;
  /** Minimum pace of the client. */
  readonly pace: PaceLimits;
}

/**
 * Response of any length. It is sent as it is produced, and compressed if the client accepts gzip.
 * A complete response has the trailers. If it fails after the first chunk, the connection is cut
 * before the final chunk, so that a partial response is not taken for a complete one. If it fails
 * before the first chunk, the client receives an ordinary error response.
 */
export class StreamedResponse {
  constructor(
    private readonly source: ResponseSource,
    private readonly options: StreamedResponseOptions,
  ) {}

  /**
   * Sends the response.
   * @throws the source's error, or the reason why the response was ended early. Does not throw if
   *   the client has disconnected.
   */
  async send(response: Response): Promise<void> {
    const { etag } = this.options;
    const { headers, method } = response.req;
    // The source must learn of the end in every case, even while it is itself waiting.
    const close = (): void => {
      this.source.close();
    };
    response.once('close', close);
    try {
      // The client has gone while the source was prepared.
      if (response.destroyed) return;
      const known = headers['if-none-match'];
      // The ETag of an export does not name an encoding, so it is compared weakly.
      if (known !== undefined && new IfNoneMatch(known, ['identity']).find(etag) !== undefined) {
        response.statusCode = 304;
        this.describe(response);
        response.end();
      } else if (method === 'HEAD') {
        this.describe(response);
        response.end();
      } else {
        await this.stream(response);
      }
    } finally {
      response.off('close', close);
      close();
    }
  }

  private describe(response: Response): void {
    const { contentType, etag, trailers } = this.options;
    const zips = isZipped(response);
    response.setHeader('Cache-Control', 'private, no-cache');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', zips ? `W/${etag}` : etag);
    if (response.statusCode === 304) return;
    response.setHeader('Content-Type', contentType);
    if (zips) response.setHeader('Content-Encoding', 'gzip');
    if (takesTrailers(response)) response.setHeader('Trailer', trailers.join(', '));
  }

  private async stream(response: Response): Promise<void> {
    const whyEnded = this.endEarly(response);
    const requireOpen = (): void => {
      const reason = whyEnded();
      if (reason !== undefined) throw reason as Error;
    };
    try {
      requireOpen();
      const chunks = this.source.chunks();
      const first = await chunks.next();
      // A source that was closed may seem complete.
      requireOpen();
      this.describe(response);
      response.flushHeaders();
      let trailers: Readonly<Record<string, string>> = first.done === true ? first.value : {};
      const source = async function* (): AsyncGenerator<Buffer> {
        if (first.done === true) return;
        yield first.value;
        trailers = yield* chunks;
      };
      const stages = isZipped(response) ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
      const spool = new Spool(this.options.spoolRoom);
      await pipeline([Readable.from(source(), { objectMode: false }), ...stages, spool, response], {
        end: false,
      });
      if (takesTrailers(response)) response.addTrailers(trailers);
      response.end();
      await finished(response);
    } catch (error) {
      const reason = whyEnded();
      const hasLeft = response.destroyed && reason === undefined;
      if (response.headersSent) cutResponse(response);
      if (!hasLeft) throw reason ?? error;
    }
  }

  /**
   * Ends the response early if the signal aborts or the client is too slow.
   * @returns a function that returns the reason, or `undefined` if the response was not ended
   *   early.
   */
  private endEarly(response: Response): () => unknown {
    const { signal, pace } = this.options;
    let reason: unknown;
    const end = (why: unknown): void => {
      if (response.writableFinished) return;
      reason ??= why;
      if (response.headersSent) cutResponse(response);
      else this.source.close();
    };
    const abort = (): void => {
      end(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const stopWatching = watchReader(response, pace, () => {
      end(unavailable('The client reads too slowly.'));
    });
    response.once('close', () => {
      signal.removeEventListener('abort', abort);
      stopWatching();
    });
    return () => reason;
  }
}

/**
 * Counts the time in which the client leaves sent bytes unread. No time counts while there is
 * nothing to send.
 * @returns a function that stops the count.
 */
function watchReader(response: Response, limits: PaceLimits, onOver: () => void): () => void {
  const pace = new StreamPace(limits);
  let [takenBytes, wasBlocked] = [0, false];
  const timer = setInterval(() => {
    const progress = socketProgress(response.socket);
    if (!progress) return;
    if (wasBlocked && progress.isBlocked) pace.recordWait(pace.stepMs);
    pace.recordTransfer(progress.takenBytes - takenBytes);
    ({ takenBytes, isBlocked: wasBlocked } = progress);
    if (pace.isExhausted) onOver();
  }, pace.stepMs).unref();
  return () => {
    clearInterval(timer);
  };
}

const isZipped = ({ req }: Response): boolean =>
  acceptedEncodings(req.headers['accept-encoding']).find(
    (form) => form === 'gzip' || form === 'identity',
  ) === 'gzip';

/** Whether the client asked for trailers. Some proxies cannot read a response with them. */
function takesTrailers({ req, useChunkedEncodingByDefault: hasChunks }: Response): boolean {
  // Only HTTP/1.1 has chunks, and trailers after them.
  if (req.method === 'HEAD' || !hasChunks) return false;
  const codings = String(req.headers['te'] ?? '').split(',');
  return codings.some((coding) => coding.trim().toLowerCase() === 'trailers');
}
