import type { Audience } from '../../common/caller/app-request';
import { type Scope, SCOPES, withIncludedScopes } from '../../common/permission/scope';
import { audienceOf, defaultScopes, resourceOf } from './oauth-metadata';
import { OauthError } from './oauth-error';

/** An authorization request whose application and redirect URI have been checked. */
export interface AuthorizationRequest {
  readonly codeChallenge: string;
  readonly audience: Audience;
  readonly resource: string;
  /** Scopes that the application asks for, with those that these include. */
  readonly scopes: readonly Scope[];
}

const CHALLENGE = /^[\w-]{43}$/;

/** Parameters of OpenID Connect that would change the meaning of a request. */
const UNSUPPORTED = ['request', 'request_uri'];

/**
 * Reads the parameters of an authorization request, apart from the application and the redirect URI.
 * @param base Issuer, as `linkBase` returns it.
 * @throws OauthError
 */
export function readAuthorizationRequest(
  sent: Partial<Record<string, string>>,
  base: string,
  isMcpServed: boolean,
): AuthorizationRequest {
  if (UNSUPPORTED.some((name) => sent[name] !== undefined))
    throw new OauthError('request_not_supported', 'Request objects are not supported.');
  if (sent['response_type'] !== 'code')
    throw new OauthError('unsupported_response_type', 'response_type must be code.');
  if ((sent['response_mode'] ?? 'query') !== 'query')
    throw new OauthError('invalid_request', 'response_mode must be query.');
  const codeChallenge = sent['code_challenge'] ?? '';
  // Without a method, the request means `plain`.
  if (!CHALLENGE.test(codeChallenge) || sent['code_challenge_method'] !== 'S256') {
    const message = 'PKCE is required: code_challenge, and S256 as code_challenge_method.';
    throw new OauthError('invalid_request', message);
  }
  const fallback = resourceOf(base, isMcpServed ? 'mcp' : 'api');
  const asked = sent['resource'] ?? fallback;
  const audience = audienceOf(base, asked, isMcpServed);
  if (audience === null)
    throw new OauthError('invalid_target', 'The resource is not of this installation.');
  const scopes = readScopes(sent['scope'], audience);
  return { codeChallenge, audience, resource: resourceOf(base, audience), scopes };
}

/** Returns the scopes that are known, and those that they include. */
function readScopes(text: string | undefined, audience: Audience): readonly Scope[] {
  if (text === undefined) return defaultScopes(audience);
  const names = new Set(text.split(' '));
  const known = SCOPES.filter((scope) => names.has(scope));
  if (known.length > 0) return withIncludedScopes(known);
  throw new OauthError('invalid_scope', `Known scopes: ${SCOPES.join(' ')}.`);
}
