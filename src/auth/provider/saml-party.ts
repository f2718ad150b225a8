import { generateServiceProviderMetadata, SAML } from '@node-saml/node-saml';
import type { SignInSecrets } from './openid-client';

/** The service, as a SAML provider knows it. */
export interface SamlParty {
  /** Entity ID, at which the metadata are. */
  readonly entityId: string;
  /** URL to which the browser brings responses. */
  readonly acsUrl: string;
}

/** @param base URL of the service, without a slash at the end. */
export function samlParty(base: string, providerId: string): SamlParty {
  const provider = `${base}/console/api/providers/${providerId}`;
  return { entityId: `${provider}/metadata`, acsUrl: `${provider}/saml` };
}

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** Returns the ID of the request of a sign-in. Begins with a letter or an underscore, as XML requires. */
export const requestIdOf = ({ nonce }: Pick<SignInSecrets, 'nonce'>): string => `_${nonce}`;

/** Returns the URL of the provider's page with a request. */
export async function requestUrl(
  ssoUrl: string,
  { entityId, acsUrl }: SamlParty,
  secrets: SignInSecrets,
): Promise<string> {
  const saml = new SAML({
    ...{ entryPoint: ssoUrl, issuer: entityId, callbackUrl: acsUrl },
    // It only checks responses, which this does not receive.
    idpCert: 'unused',
    identifierFormat: PERSISTENT,
    // A provider decides how it authenticates.
    disableRequestedAuthnContext: true,
    generateUniqueId: () => requestIdOf(secrets),
  });
  return saml.getAuthorizeUrlAsync(secrets.state, undefined, {});
}

/** Returns the metadata of the service for a provider, as XML. */
export function metadataOf({ entityId, acsUrl }: SamlParty, providerId: string): string {
  return generateServiceProviderMetadata({
    ...{ issuer: entityId, callbackUrl: acsUrl },
    ...{ identifierFormat: PERSISTENT, wantAssertionsSigned: true },
    generateUniqueId: () => `_${providerId}`,
  });
}
