import type { Duplex } from 'node:stream';

const allowed = new WeakSet<Duplex>();

/**
 * Lets the request that is being received on a socket take as long as it likes: whoever reads it
 * sees to it that its sender does not fall silent.
 * @returns what ends that.
 */
export function allowLongRequest(socket: Duplex): () => void {
  allowed.add(socket);
  return () => allowed.delete(socket);
}

/** Whether `fault` is that such a request takes long, which is no fault. */
export function mayTakeLong(socket: Duplex, fault: NodeJS.ErrnoException): boolean {
  return fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' && allowed.has(socket);
}
