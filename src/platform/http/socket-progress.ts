import type { Socket } from 'node:net';

/** What Node keeps of a connection, and shows nobody; the tests beside this file watch over it. */
interface StreamHandle {
  /** Bytes handed to the operating system, or waiting to be. */
  readonly bytesWritten: number;
  /** Those of them that wait, since the other side does not take what came before. */
  readonly writeQueueSize: number;
}

export interface SocketProgress {
  /** Bytes that the operating system has taken. */
  readonly takenBytes: number;
  /** Whether more are waiting for the other side to read. */
  readonly isBlocked: boolean;
}

/** How much of what was written to a socket is on its way; `null` if the socket is closed. */
export function socketProgress(socket: Socket | null): SocketProgress | null {
  const { _handle: handle } = (socket ?? {}) as { _handle?: StreamHandle | null };
  if (!handle) return null;
  const { bytesWritten, writeQueueSize } = handle;
  return { takenBytes: bytesWritten - writeQueueSize, isBlocked: writeQueueSize > 0 };
}
