import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowClientLimits {
  /** Time limit for receiving a request's headers. */
  readonly headersTimeoutSeconds: number;
  /** Time limit for receiving a complete request, and for a client to read a waiting response. */
  readonly requestTimeoutSeconds: number;
  /** Memory for large bodies being received, and again for large responses being read. */
  readonly maxBufferedBytes: number;
}

/** Interval of Node's timeout checks in milliseconds. Node's default is 30 s. */
const LOOK_MS = 1_000;

/** Timeouts that Node enforces itself, with 408: requests that take too long to arrive. */
export function receiveTimeouts(limits: SlowClientLimits): ServerOptions {
  const requestTimeout = limits.requestTimeoutSeconds * 1000;
  return {
    headersTimeout: Math.min(limits.headersTimeoutSeconds * 1000, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: LOOK_MS,
  };
}

/**
 * Closes connections of clients that have stopped reading their response, which would otherwise
 * stay in memory indefinitely. If a response is in progress but no bytes wait to be sent, the
 * service itself is slow, and the connection stays open.
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
