/**
 * Content codings of compressed responses, in order of preference if the client accepts several
 * equally. Brotli saves little more than gzip and takes more time.
 */
export const CODINGS = ['zstd', 'gzip', 'br'] as const;

export type Coding = (typeof CODINGS)[number];

/** Encodings of a response: uncompressed or compressed. */
export type Encoding = 'identity' | Coding;

export const ENCODINGS: readonly Encoding[] = ['identity', ...CODINGS];

/**
 * Returns the strong ETag of a version in one encoding. Each encoding has its own ETag (RFC 9110,
 * 8.8.3.3): `"4-1"` is `"4-1.br"` in Brotli. ETags of versions never contain a period.
 */
export function encodedTag(etag: string, encoding: Encoding): string {
  return encoding === 'identity' ? etag : `${etag.slice(0, -1)}.${encoding}"`;
}
