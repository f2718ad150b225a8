import { once } from 'node:events';
import type { Response } from 'express';
import { type AppRequest, startWaiting } from '../../common/caller/app-request';
import type { CountedResponse } from '../load/load';

/** Source of a live response. */
export interface LiveSource {
  /**
   * Yields texts to send, until the response is complete.
   * @param signal Aborted when the client disconnects or the response must end.
   */
  texts(signal: AbortSignal): AsyncGenerator<string, void>;
  /**
   * Whether a response that ends early may look complete. If not, an error cuts the connection.
   */
  readonly mayEndEarly: boolean;
  /** Releases what the source holds. Called once. */
  close(): void;
}

/**
 * Response that is sent while it comes into being, at the pace of the client: a stream of events, or
 * of lines. The source waits while bytes are unread. If it fails before its first text, the client
 * receives an ordinary error response.
 */
export class LiveResponse {
  /** @param controller Ends the response early. Aborted when the client disconnects. */
  constructor(
    private readonly source: LiveSource,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly controller: AbortController,
  ) {}

  /** @throws the error of the source if nothing was sent. */
  async send(response: Response): Promise<void> {
    const leave = (): void => {
      this.controller.abort();
    };
    response.once('close', leave);
    // The client may have left before this, and then there is no further event.
    if (response.destroyed) leave();
    try {
      if (response.req.method === 'HEAD') {
        this.describe(response);
        response.end();
      } else {
        await this.stream(response, this.controller.signal);
      }
    } finally {
      response.off('close', leave);
      this.source.close();
    }
  }

  private async stream(response: Response, signal: AbortSignal): Promise<void> {
    try {
      for await (const text of this.source.texts(signal)) {
        (response as Response & CountedResponse).reserve(text.length);
        if (!response.headersSent) {
          this.describe(response);
          // From now on, the changes and the client decide how long the response takes.
          startWaiting(response.req as AppRequest);
        }
        if (!response.write(text)) await once(response, 'drain', { signal });
      }
      response.end();
    } catch (error) {
      if (response.destroyed) return;
      if (!response.headersSent) throw error;
      if (this.source.mayEndEarly) response.end();
      else response.destroy();
    }
  }

  private describe(response: Response): void {
    response.statusCode = 200;
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.flushHeaders();
  }
}
