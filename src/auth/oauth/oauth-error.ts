/** Error codes of RFC 6749, 7591 and 8707. */
export type OauthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'request_not_supported'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type';

/** An error that an application gets in the form of OAuth. The message is public. */
export class OauthError extends Error {
  constructor(
    readonly code: OauthErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Returns parameters by name.
 * @throws OauthError if one is given twice, or is longer than any valid one.
 */
export function readParameters(sent: URLSearchParams): Partial<Record<string, string>> {
  const found: Partial<Record<string, string>> = Object.create(null) as object;
  for (const [name, value] of sent) {
    if (found[name] !== undefined)
      throw new OauthError('invalid_request', 'A parameter is given more than once.');
    if (value.length > MAX_PARAMETER_LENGTH)
      throw new OauthError('invalid_request', 'A parameter is too long.');
    // RFC 6749 treats a parameter without a value like an absent one.
    if (value !== '') found[name] = value;
  }
  return found;
}

const MAX_PARAMETER_LENGTH = 2_000;
