import type { Socket } from 'node:net';

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
