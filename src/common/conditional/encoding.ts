/**
 * How an answer may be compressed, the one that is given first where the client likes several
 * alike: Brotli saves little more than gzip, for more time.
 */
export const CODINGS = ['zstd', 'gzip', 'br'] as const;

export type Coding = (typeof CODINGS)[number];

/** The forms of an answer: as it is, or compressed. */
export type Encoding = 'identity' | Coding;

export const ENCODINGS: readonly Encoding[] = ['identity', ...CODINGS];

/**
 * The strong tag of a version in one of its forms, each of which has one of its own (RFC 9110,
 * 8.8.3.3): `"4-1"` is `"4-1.br"` in Brotli. No tag of a version has a full stop.
 */
export function encodedTag(etag: string, encoding: Encoding): string {
  return encoding === 'identity' ? etag : `${etag.slice(0, -1)}.${encoding}"`;
}
