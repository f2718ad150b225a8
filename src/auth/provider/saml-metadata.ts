import { type ProviderError, providerError } from './openid-client';
import { isExpired, MAX_CERTIFICATES, readCertificate } from './saml-certificate';
import {
  childrenNamed,
  elementsIn,
  NAMESPACES,
  parseXml,
  XmlError,
  type XmlElement,
} from './saml-xml';

/** What the metadata of a provider say. */
export interface SamlMetadata {
  readonly entityId: string;
  /** URL that accepts requests in a redirect. */
  readonly ssoUrl: string;
  /** Certificates that have not expired, as PEM. */
  readonly certificates: readonly string[];
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/** Reads the metadata of one provider. @throws ProviderError */
export function readMetadata(xml: string): SamlMetadata {
  const provider = providerIn(parsed(xml));
  const [role, second] = childrenNamed(provider, NAMESPACES.metadata, 'IDPSSODescriptor');
  const entityId = provider.attributes.get('entityID') ?? '';
  if (!role || second || entityId === '') throw notOne();
  const ssoUrl = childrenNamed(role, NAMESPACES.metadata, 'SingleSignOnService')
    .filter(({ attributes }) => attributes.get('Binding') === REDIRECT)
    .map(({ attributes }) => attributes.get('Location') ?? '')
    .find(isWebUrl);
  if (ssoUrl === undefined)
    throw providerError('The metadata have no sign-on URL for requests in a redirect.');
  return { entityId, ssoUrl, certificates: signingCertificatesOf(role) };
}

function parsed(xml: string): XmlElement {
  try {
    return parseXml(xml.replace(/^\uFEFF/, ''), 'comments');
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw providerError(
      'The metadata are not XML of up to 256 KiB without a document type and entities.',
    );
  }
}

function providerIn(root: XmlElement): XmlElement {
  const providers = [...elementsIn(root)].filter(
    (each) =>
      each.name === 'EntityDescriptor' &&
      childrenNamed(each, NAMESPACES.metadata, 'IDPSSODescriptor').length > 0,
  );
  const [provider] = providers;
  if (!provider || providers.length > 1) throw notOne();
  return provider;
}

function signingCertificatesOf(role: XmlElement): string[] {
  const keys = childrenNamed(role, NAMESPACES.metadata, 'KeyDescriptor').filter(
    ({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing',
  );
  const read = keys
    .flatMap((key) => [...elementsIn(key)].filter(({ name }) => name === 'X509Certificate'))
    .flatMap(({ text }) => readCertificate(text) ?? [])
    .filter((each) => !isExpired(each));
  const pems = [...new Set(read.map(({ pem }) => pem))];
  if (pems.length === 0)
    throw providerError(
      'The metadata have no valid certificate for signatures with an RSA key of 2,048 bits or more.',
    );
  if (pems.length > MAX_CERTIFICATES)
    throw providerError(
      `The metadata have more than ${String(MAX_CERTIFICATES)} certificates. Enter those that are used.`,
    );
  return pems;
}

export const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const notOne = (): ProviderError =>
  providerError('The metadata do not describe one identity provider of SAML 2.0.');
