import { decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { isStorable } from './person-address';

/** Signatures with keys that a provider publishes. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Age of a token, and difference of the clocks. */
const [MAX_AGE_SECONDS, TOLERANCE_SECONDS] = [300, 30];
/** Time for which a token can be used, from its arrival. */
export const LOGOUT_TOKEN_LIFETIME_MS = (MAX_AGE_SECONDS + 2 * TOLERANCE_SECONDS) * 1_000;
const MAX_ID_LENGTH = 255;

/** Who has signed out at a provider. */
export interface Logout {
  /** Id of the token, which is used once. */
  readonly id: string;
  /** `sub` of the person; `null` if only the session is named. */
  readonly subject: string | null;
  /** `sid` of the session at the provider; `null` for all sessions of the person. */
  readonly sessionId: string | null;
}

/** A logout token that is not valid. The message is public. */
export class LogoutTokenError extends Error {}

/** Returns whether a claim is an id of up to 255 characters. */
export const isShortId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH && isStorable(value);

/**
 * Checks what needs no keys, so that a token for another provider or client causes no request.
 * @throws LogoutTokenError
 */
export function requireAddressee(token: string, issuer: string, clientId: string): void {
  let claims: JWTPayload;
  try {
    claims = decodeJwt(token);
  } catch {
    throw new LogoutTokenError('logout_token is not a signed JWT.');
  }
  const { iss, aud } = claims;
  if (iss !== issuer) throw new LogoutTokenError('logout_token is of another issuer.');
  if (![aud].flat().includes(clientId))
    throw new LogoutTokenError('logout_token is for another client.');
}

/**
 * Verifies a token of OpenID Connect Back-Channel Logout 1.0, section 2.6, except that it was not used before.
 * @param keys Finds the keys of the provider. What it throws is passed on, unless the provider has no such key.
 * @throws LogoutTokenError
 */
export async function readLogoutToken(
  token: string,
  issuer: string,
  clientId: string,
  keys: JWTVerifyGetKey,
): Promise<Logout> {
  const { payload, protectedHeader } = await verified(
    jwtVerify(token, keys, {
      ...{ issuer, audience: clientId, algorithms: ALGORITHMS },
      ...{ requiredClaims: ['exp', 'iat', 'jti'], maxTokenAge: MAX_AGE_SECONDS },
      clockTolerance: TOLERANCE_SECONDS,
    }),
  );
  const { jti, sub, sid, events, nonce } = payload;
  const { typ = 'JWT' } = protectedHeader;
  if (!/^(application\/)?(jwt|logout\+jwt)$/i.test(typ))
    throw new LogoutTokenError('logout_token is a token of another type.');
  const event = (events as Readonly<Record<string, unknown>> | null | undefined)?.[EVENT];
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new LogoutTokenError('logout_token has no event of a back-channel logout.');
  if (nonce !== undefined) throw new LogoutTokenError('logout_token must not have a nonce.');
  if (![jti, sub ?? jti, sid ?? jti].every(isShortId))
    throw new LogoutTokenError('logout_token has an id that is not valid.');
  if (sub === undefined && sid === undefined)
    throw new LogoutTokenError('logout_token names neither sub nor sid.');
  return { id: jti ?? '', subject: sub ?? null, sessionId: (sid as string | undefined) ?? null };
}

/** Failures to read the keys, rather than of a token. */
const OF_KEYS = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

async function verified<T>(verification: Promise<T>): Promise<T> {
  try {
    return await verification;
  } catch (error) {
    if (!(error instanceof errors.JOSEError) || OF_KEYS.includes(error.code)) throw error;
    throw new LogoutTokenError('logout_token is not valid, or has expired.', { cause: error });
  }
}
