import { z } from 'zod';
import { codePointLength } from '../../common/text/id';
import { OauthError } from './oauth-error';
import { isRedirectUri, targetOf } from './redirect-uri';

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECT_URIS = 10;

/** What an application says of itself. Members of RFC 7591 that are not read are ignored. */
export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** Characters that are not shown, also letters, or that change the direction of what follows, as in a forged name. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;

/** What everybody sees: neither marks without a letter nor spaces. */
const SEEN = /[\p{L}\p{N}]/u;

const NAME = z
  .string()
  .trim()
  .refine((text) => codePointLength(text) <= MAX_NAME_LENGTH)
  .refine((text) => SEEN.test(text) && !UNSHOWN.test(text));

const SCHEMA = z.object({
  client_name: NAME.optional(),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  response_types: z
    .array(z.string())
    .refine((types) => types.includes('code'))
    .optional(),
  grant_types: z
    .array(z.string())
    .refine((types) => types.includes('authorization_code'))
    .optional(),
});

/**
 * Reads the metadata of an application.
 * @throws OauthError `invalid_client_metadata` or `invalid_redirect_uri`
 */
export function readClientMetadata(document: unknown): ClientMetadata {
  const { data, error } = SCHEMA.safeParse(document);
  if (!data) {
    const fields = [...new Set(error.issues.map(({ path }) => String(path[0] ?? 'body')))];
    const message = `The metadata of the application are invalid: ${fields.join(', ')}.`;
    throw new OauthError('invalid_client_metadata', message);
  }
  const { client_name: name, redirect_uris: redirectUris } = data;
  if (!redirectUris.every(isRedirectUri)) {
    const message =
      'A redirect URI must be HTTPS, HTTP on localhost, or of a scheme such as com.example.app, without a fragment.';
    throw new OauthError('invalid_redirect_uri', message);
  }
  return { name: name ?? targetOf(redirectUris[0] ?? '').redirectHost, redirectUris };
}
