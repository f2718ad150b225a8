import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Schema of a number in a request that counts from 1, such as the ID of a row or a revision. Larger
 * numbers than the maximum would not be exact.
 */
export const COUNTED_ID = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

/** Sorts before all other ids. Belongs to no object. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Returns a UUIDv7. Ids created later sort later. */
export function newId(): string {
  return v7();
}

/** Returns a UUIDv7 for a time in milliseconds. Of those for the same time, a larger `seq` sorts later. */
export function newIdAt(timeMs: number, seq: number): string {
  return v7({ msecs: timeMs, seq });
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Returns the case-insensitive form of a name. It is equal for `Ä` and `ä`, `ß` and `SS`, a final
 * and a medial sigma, and composed and decomposed letters. Use it for comparisons and unique
 * indexes, never for display. Folding a folded name changes nothing.
 */
export function foldName(name: string): string {
  return (
    name
      .normalize('NFC')
      // Convert to lower case first: the capital sharp s is its own upper case, but its lower case
      // is `ß`.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      // Sigma is the only letter whose lower case depends on its neighbors.
      .replaceAll('ς', 'σ')
      .normalize('NFC')
  );
}

/**
 * Returns the text, shortened to `max` characters (code points) and followed by "…" if it is
 * longer.
 */
export function shorten(text: string, max: number): string {
  let at = 0;
  for (let length = 0; length < max && at < text.length; length++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at < text.length ? `${text.slice(0, at)}…` : text;
}

/**
 * Returns the length of a text in characters, as limits count them: Unicode code points, not UTF-16
 * code units.
 */
export function codePointLength(text: string): number {
  let length = 0;
  // Does not build an array of code points, which would take hundreds of MB for a text of 10 MB.
  for (let at = 0; at < text.length; length++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i;

/**
 * Returns whether a host name or address is that of the local machine, so that other machines
 * cannot reach it.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
