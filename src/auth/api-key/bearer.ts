/** Longer than any key by far; what is longer is not looked at. */
const MAX_LENGTH = 512;

/** The scheme in any case, one space, and one token68 by RFC 9110, section 11.2. */
const BEARER = /^bearer ([\w.~+/-]+=*)$/i;

/**
 * The token of an `Authorization` header; null where there is none: no header, another scheme,
 * odd spacing, two credentials, or more than 512 characters.
 */
export function readBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_LENGTH) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}
