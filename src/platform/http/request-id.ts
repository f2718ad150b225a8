import { randomUUID } from 'node:crypto';

const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own request id where it is harmless to print, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && HARMLESS.test(header) ? header : randomUUID();
}
