import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum requests of one connection that may wait for their turn. */
const MAX_WAITING = 100;

const waiting = new WeakMap<Socket, number>();

/** Whether an earlier response on the connection is unfinished: the client pipelines requests. */
export function isEarly({ socket }: ServerResponse): boolean {
  return socket === null;
}

/** Whether the connection has reached its limit of waiting requests. */
export function isCrowded({ socket }: IncomingMessage): boolean {
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
