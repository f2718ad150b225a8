import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for their turn. */
const MAX_WAITING = 100;

const waiting = new WeakMap<Socket, number>();

/** Whether the answer before it on its connection is not out yet: the client has not waited for it. */
export function isEarly({ socket }: ServerResponse): boolean {
  return socket === null;
}

/** Whether as many wait on the connection as may. */
export function isCrowded({ socket }: IncomingMessage): boolean {
  return (waiting.get(socket) ?? 0) >= MAX_WAITING;
}

/**
 * Begins a request that is early once it is its turn, and never where its client hangs up before.
 * Begun at once it would be carried out unseen: Node never says of an answer that has not had its
 * turn that its connection is gone, so that nothing would be logged, counted or given back.
 */
export function beginInTurn(
  { socket }: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
): void {
  waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    // Node goes on with the answer after this event.
    process.nextTick(() => {
      if (!response.destroyed) begin();
    });
  });
}
