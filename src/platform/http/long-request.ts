import type { Duplex } from 'node:stream';

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

/** Whether `fault` is the timeout of an exempt request, which is not an error. */
export function mayTakeLong(socket: Duplex, fault: NodeJS.ErrnoException): boolean {
  return fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' && allowed.has(socket);
}
