import { once } from 'node:events';
import type { Response } from 'express';
import { type AppRequest, startWaiting } from '../../common/caller/app-request';
import type { CountedResponse } from '../load/load';
import { cutResponse } from './cut-response';
import { utf8Slices } from './utf8-slices';

/** Response that is produced while it is sent. It waits while the client has unread bytes. */
export abstract class LiveResponse {
  /** Sends the response. @throws an error if nothing was sent. The client receives it. */
  abstract send(response: Response & CountedResponse): Promise<void>;
}

/** Begins a stream: sends the status and the headers. */
export function startStream(response: Response, contentType: string): void {
  response.statusCode = 200;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Cache-Control', 'no-store');
  // Otherwise nginx holds parts back until its buffer is full.
  response.setHeader('X-Accel-Buffering', 'no');
  // Sent with the first bytes instead, the headers would stay in memory as many small strings.
  response.flushHeaders();
  // From now on, the changes and the client decide how long the response takes.
  startWaiting(response.req as AppRequest);
}

/** Source of a response that ends. */
export interface TextSource {
  /**
   * Yields texts to send, until the response is complete.
   * @param signal Aborted when the client disconnects or the response must end.
   */
  texts(signal: AbortSignal): AsyncGenerator<string, void>;
  /** Releases what the source holds. Called once. */
  close(): void;
}

/**
 * Sends the texts of a source. The source waits while bytes are unread. If it fails before its first
 * text, the client receives an ordinary error response. If it fails later, the connection is cut, so
 * that the response does not look complete.
 */
export class TextResponse extends LiveResponse {
  /** @param controller Ends the response early. Aborted when the client disconnects. */
  constructor(
    private readonly source: TextSource,
    private readonly contentType: string,
    private readonly controller: AbortController,
  ) {
    super();
  }

  override async send(response: Response & CountedResponse): Promise<void> {
    const leave = (): void => {
      this.controller.abort();
    };
    response.once('close', leave);
    // The client may have left before this, and then there is no further event.
    if (response.destroyed) leave();
    try {
      if (response.req.method === 'HEAD') {
        startStream(response, this.contentType);
        response.end();
      } else {
        await this.stream(response, this.controller.signal);
      }
    } finally {
      response.off('close', leave);
      this.source.close();
    }
  }

  private async stream(response: Response & CountedResponse, signal: AbortSignal): Promise<void> {
    const accountId = (response.req as AppRequest).caller?.accountId ?? '';
    try {
      for await (const text of this.source.texts(signal)) {
        response.reserve(text.length);
        if (!response.headersSent) startStream(response, this.contentType);
        for await (const slice of utf8Slices(text, accountId)) {
          if (!response.write(slice)) await once(response, 'drain', { signal });
        }
      }
      response.end();
    } catch (error) {
      if (response.destroyed) return;
      if (!response.headersSent) throw error;
      cutResponse(response);
    }
  }
}
