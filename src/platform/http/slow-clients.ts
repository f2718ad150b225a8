import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

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
    const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
    if (!response || socket.writableLength > 0) socket.destroy();
  });
}

/** Maximum requests of one connection that may wait for their turn. */
const MAX_WAITING = 100;

const waiting = new WeakMap<Socket, number>();

/**
 * Returns whether an earlier response on the connection is unfinished: the client pipelines
 * requests.
 */
export function isPipelined({ socket }: ServerResponse): boolean {
  return socket === null;
}

/** Returns whether the connection has reached its limit of waiting requests. */
export function hasFullQueue({ socket }: IncomingMessage): boolean {
  return (waiting.get(socket) ?? 0) >= MAX_WAITING;
}

/**
 * Starts a pipelined request when its turn comes, or never if the client disconnects first. If it
 * started at once, it would run unobserved: Node does not report a closed connection to a response
 * that has not had its turn, so nothing would be logged, counted or released.
 */
export function beginInTurn(
  { socket }: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
): void {
  waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    // Node continues with the response after this event.
    process.nextTick(() => {
      if (!response.destroyed) begin();
    });
  });
}

/**
 * Internal, undocumented handle of a Node socket. The spec next to this file fails if it changes.
 */
interface StreamHandle {
  /** Bytes handed to the operating system or waiting to be. */
  readonly bytesWritten: number;
  /** The part of them that waits because the client has not read the earlier bytes. */
  readonly writeQueueSize: number;
}

export interface SocketProgress {
  /** Bytes that the operating system has accepted. */
  readonly takenBytes: number;
  /** Whether more bytes are waiting for the client to read. */
  readonly isBlocked: boolean;
}

/**
 * Returns how many of the bytes written to a socket the operating system has accepted.
 * @returns `null` if the socket is closed.
 */
export function socketProgress(socket: Socket | null): SocketProgress | null {
  const { _handle: handle } = (socket ?? {}) as { _handle?: StreamHandle | null };
  if (!handle) return null;
  const { bytesWritten, writeQueueSize } = handle;
  return { takenBytes: bytesWritten - writeQueueSize, isBlocked: writeQueueSize > 0 };
}

const allowed = new WeakSet<Duplex>();

/**
 * Exempts the request being received on a socket from the request timeout. The code that reads it
 * must check that the client keeps sending.
 * @returns a function that ends the exemption.
 */
export function allowLongRequest(socket: Duplex): () => void {
  allowed.add(socket);
  return () => allowed.delete(socket);
}

/** Returns whether `fault` is the timeout of an exempt request, which is not an error. */
export function isExemptTimeout(socket: Duplex, fault: NodeJS.ErrnoException): boolean {
  return fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' && allowed.has(socket);
}

/** Maximum wait for the rest of a request after its response. */
export const MAX_LEFTOVER_MS = 30_000;

/**
 * Makes a connection that ends with the response to a request wait for the rest of the request. If it
 * closed with unread data, it would be reset: a client that is still sending would see an error, and not
 * the response (RFC 9112, 9.6).
 */
export function closeAfterRequest(request: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (length === '0' && coding === undefined) return;
  const { socket } = request;
  // Node calls this once the response is complete.
  socket.destroySoon = (): void => {
    Reflect.deleteProperty(socket, 'destroySoon');
    if (request.complete || request.destroyed) {
      socket.destroySoon();
      return;
    }
    socket.end();
    const timer = setTimeout(() => socket.destroy(), MAX_LEFTOVER_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
    });
    request.once('end', () => {
      socket.destroySoon();
    });
    request.resume();
  };
}
