import type { IncomingMessage } from 'node:http';

/**
 * Returns how often a header was sent. For headers that may occur only once, Node silently keeps
 * the first.
 * @param lowerName Header name in lower case.
 */
export function timesSent({ rawHeaders }: IncomingMessage, lowerName: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) count += 1;
  }
  return count;
}
