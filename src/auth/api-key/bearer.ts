/** Far longer than any key. Longer headers are not parsed. */
const MAX_LENGTH = 512;

/** The scheme in any case, one space, and one token68 (RFC 9110, section 11.2). */
const BEARER = /^bearer ([\w.~+/-]+=*)$/i;

/**
 * Returns the token of an `Authorization` header. Returns null if the header is missing, has
 * another scheme, has extra spaces, has two credentials, or is longer than 512 characters.
 */
export function readBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_LENGTH) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}
