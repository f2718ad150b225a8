import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Response } from 'express';
import { hasAlready } from '../../common/conditional/if-none-match';
import { Spool } from './spool';

/** A client that takes nothing for so long is given up. */
const MOST_STALLED_MS = 60_000;

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
  /** Ends the answer half-way. */
  readonly signal: AbortSignal;
  readonly stalledMs?: number;
}

/**
 * An answer of any length, sent as it comes, compressed where the client asks. One that comes to
 * its end has the trailers; where it fails the connection is cut before the last chunk, so that a
 * part is not taken for the whole.
 */
export class StreamedAnswer {
  constructor(
    private readonly source: AnswerSource,
    private readonly options: StreamedAnswerOptions,
  ) {}

  /** @throws what the source throws, and why it was ended half-way; not where the client has left. */
  async send(response: Response): Promise<void> {
    // Whatever ends the answer, the source learns of it, also while it waits for something itself.
    const close = (): void => {
      this.source.close();
    };
    response.once('close', close);
    try {
      if (this.begin(response)) await this.stream(response);
    } finally {
      response.off('close', close);
      close();
    }
  }

  /** @returns whether there is a body to be sent. */
  private begin(response: Response): boolean {
    const { contentType, etag, trailers } = this.options;
    const { req: request } = response;
    const zips = isZipped(response);
    response.setHeader('Cache-Control', 'private, no-cache');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', zips ? `W/${etag}` : etag);
    if (hasAlready(request.headers['if-none-match'], etag)) {
      response.statusCode = 304;
      response.end();
      return false;
    }
    response.setHeader('Content-Type', contentType);
    if (zips) response.setHeader('Content-Encoding', 'gzip');
    if (request.method === 'HEAD') {
      response.end();
      return false;
    }
    response.setHeader('Trailer', trailers.join(', '));
    return true;
  }

  private async stream(response: Response): Promise<void> {
    const { spoolBytes } = this.options;
    let trailers: Readonly<Record<string, string>> = {};
    const chunks = this.source.chunks();
    async function* all(): AsyncGenerator<Buffer> {
      trailers = yield* chunks;
    }
    const source = Readable.from(all(), { objectMode: false });
    const stages = isZipped(response) ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
    const endedEarly = this.endEarly(response);
    // Whoever waits for what is long in coming is to know that it does.
    response.flushHeaders();
    try {
      await pipeline([source, ...stages, new Spool(spoolBytes), response], { end: false });
      response.addTrailers(trailers);
      response.end();
      await finished(response);
    } catch (error) {
      const reason = endedEarly();
      const hasLeft = response.destroyed && reason === undefined;
      response.destroy();
      if (!hasLeft) throw reason ?? error;
    }
  }

  /** Cuts the answer when it is time to. @returns what tells whether that has been, and why. */
  private endEarly(response: Response): () => unknown {
    const { signal, stalledMs = MOST_STALLED_MS } = this.options;
    let reason: unknown;
    const cut = (why: unknown): void => {
      if (response.writableFinished) return;
      reason ??= why;
      response.destroy();
    };
    const abort = (): void => {
      cut(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    response.once('close', () => {
      signal.removeEventListener('abort', abort);
    });
    response.setTimeout(stalledMs, () => {
      // While there is nothing to send nothing moves either.
      if (response.writableNeedDrain) cut(new Error('The client has stopped reading.'));
    });
    return () => reason;
  }
}

const isZipped = ({ req }: Response): boolean =>
  req.acceptsEncodings('gzip', 'identity') === 'gzip';
