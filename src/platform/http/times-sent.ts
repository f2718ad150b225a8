import type { IncomingMessage } from 'node:http';

/**
 * How often a header was sent. Of those that may come once Node keeps the first in silence.
 * @param lowerName In lower case.
 */
export function timesSent({ rawHeaders }: IncomingMessage, lowerName: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) count += 1;
  }
  return count;
}
