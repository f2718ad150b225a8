import { randomUUID } from 'node:crypto';

const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the client's request id if it is safe to print, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && HARMLESS.test(header) ? header : randomUUID();
}
