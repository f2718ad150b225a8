import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Response } from 'express';
import { unavailable } from '../../common/error/app-error';
import { IfNoneMatch } from '../../common/conditional/if-none-match';
import { acceptedEncodings } from './accepted-encodings';
import { StreamPace, type PaceLimits } from '../fairness/stream-pace';
import { socketProgress } from './socket-progress';
import { Spool } from './spool';
import type { SpoolRoom } from './spool-file';

/** What an answer is made of as it is sent. */
export interface AnswerSource {
  /** Read at once, as fast as it gives; returns the trailers that tell that it is whole. */
  chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>>;
  /** Lets go of what it holds. Called also where nothing was read, and more than once. */
  close(): void;
}

export interface StreamedAnswerOptions {
  readonly contentType: string;
  readonly etag: string;
  /** The names of the trailers. */
  readonly trailers: readonly string[];
  /** What may wait on the disk for a slow client. */
  readonly spoolBytes: number;
  /** What all files on the disk together may have. */
  readonly spoolRoom: SpoolRoom;
  /** Ends the answer half-way. */
  readonly signal: AbortSignal;
  /** How slowly the client may read. */
  readonly pace: PaceLimits;
}

/**
 * An answer of any length, sent as it comes, compressed where the client asks. One that comes to
 * its end has the trailers; where it fails half-way the connection is cut before the last chunk,
 * so that a part is not taken for the whole. What fails before there is a first chunk is answered
 * as any failure.
 */
export class StreamedAnswer {
  constructor(
    private readonly source: AnswerSource,
    private readonly options: StreamedAnswerOptions,
  ) {}

  /** @throws what the source throws, and why it was ended half-way; not where the client has left. */
  async send(response: Response): Promise<void> {
    const { etag } = this.options;
    const { headers, method } = response.req;
    // Whatever ends the answer, the source learns of it, also while it waits for something itself.
    const close = (): void => {
      this.source.close();
    };
    response.once('close', close);
    try {
      const known = headers['if-none-match'];
      // An export's tag names no form: it is compared weakly.
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
    if (response.req.method !== 'HEAD') response.setHeader('Trailer', trailers.join(', '));
  }

  private async stream(response: Response): Promise<void> {
    const whyEnded = this.endEarly(response);
    try {
      const chunks = this.source.chunks();
      const first = await chunks.next();
      this.describe(response);
      response.flushHeaders();
      let trailers: Readonly<Record<string, string>> = first.done === true ? first.value : {};
      const source = async function* (): AsyncGenerator<Buffer> {
        if (first.done === true) return;
        yield first.value;
        trailers = yield* chunks;
      };
      const stages = isZipped(response) ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
      const spool = new Spool(this.options.spoolBytes, this.options.spoolRoom);
      await pipeline([Readable.from(source(), { objectMode: false }), ...stages, spool, response], {
        end: false,
      });
      response.addTrailers(trailers);
      response.end();
      await finished(response);
    } catch (error) {
      const reason = whyEnded();
      const hasLeft = response.destroyed && reason === undefined;
      if (response.headersSent) response.destroy();
      if (!hasLeft) throw reason ?? error;
    }
  }

  /** Ends the answer when it is time to. @returns what tells whether that has been, and why. */
  private endEarly(response: Response): () => unknown {
    const { signal, pace } = this.options;
    let reason: unknown;
    const end = (why: unknown): void => {
      if (response.writableFinished) return;
      reason ??= why;
      if (response.headersSent) response.destroy();
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
 * Counts the time in which the client leaves what is sent to it unread; while there is nothing to
 * be sent, nothing is counted.
 * @returns what ends that.
 */
function watchReader(response: Response, limits: PaceLimits, onOver: () => void): () => void {
  const pace = new StreamPace(limits);
  let [takenBytes, wasBlocked] = [0, false];
  const timer = setInterval(() => {
    const progress = socketProgress(response.socket);
    if (!progress) return;
    if (wasBlocked && progress.isBlocked) pace.wait(pace.stepMs);
    pace.move(progress.takenBytes - takenBytes);
    ({ takenBytes, isBlocked: wasBlocked } = progress);
    if (pace.isOver) onOver();
  }, pace.stepMs).unref();
  return () => {
    clearInterval(timer);
  };
}

const isZipped = ({ req }: Response): boolean =>
  acceptedEncodings(req.headers['accept-encoding']).find(
    (form) => form === 'gzip' || form === 'identity',
  ) === 'gzip';
