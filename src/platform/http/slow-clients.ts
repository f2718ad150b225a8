import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowClientLimits {
  /** In which a request's headers must have come. */
  readonly headersTimeoutSeconds: number;
  /** In which a request must have come whole, and how long an answer may wait to be read. */
  readonly requestTimeoutSeconds: number;
  /** Of large bodies that come, and as much of large answers that are read, in memory. */
  readonly maxBufferedBytes: number;
}

/** Node looks that often; it would only every 30 s. */
const LOOK_MS = 1_000;

/** What Node cuts by itself, with 408: requests that take too long to arrive. */
export function receiveTimeouts(limits: SlowClientLimits): ServerOptions {
  const requestTimeout = limits.requestTimeoutSeconds * 1000;
  return {
    headersTimeout: Math.min(limits.headersTimeoutSeconds * 1000, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: LOOK_MS,
  };
}

/**
 * Cuts clients that have stopped to read their answer: it would stay in memory for as long as they
 * like. Where nothing waits to be sent it is the service that takes its time.
 */
export function cutStalledReaders(
  server: Server,
  { requestTimeoutSeconds }: SlowClientLimits,
): void {
  server.setTimeout(requestTimeoutSeconds * 1000, (socket: Socket) => {
    const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
    if (!answer || socket.writableLength > 0) socket.destroy();
  });
}
