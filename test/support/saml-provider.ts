import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { generate } from 'selfsigned';
import { SignedXml } from 'xml-crypto';
import { ApiClient, type ApiResponse, FileBody, type Json } from './api-client';
import { CONSOLE } from './console-client';
import { beginAt } from './openid-provider';

/** A key with its certificate. */
export interface SigningKey {
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
}

/** Creates a key whose certificate ends some days from now. */
export async function newSigningKey(days = 365, keySize = 2048): Promise<SigningKey> {
  const now = Date.now();
  const { private: key, cert: certificate } = await generate(
    [{ name: 'commonName', value: 'Identity provider' }],
    {
      ...{ keySize, algorithm: 'sha256' },
      notBeforeDate: new Date(now - 400 * 86_400_000),
      notAfterDate: new Date(now + days * 86_400_000),
    },
  );
  return { key, certificate };
}

/** A request that a browser has brought. */
export interface SamlRequest {
  readonly id: string;
  readonly issuer: string;
  readonly acsUrl: string;
  readonly relayState: string;
  readonly xml: string;
}

export function readRequest(url: string): SamlRequest {
  const { searchParams: query } = new URL(url);
  const deflated = Buffer.from(query.get('SAMLRequest') ?? '', 'base64');
  const xml = inflateRawSync(deflated).toString();
  const match = (pattern: RegExp): string => pattern.exec(xml)?.[1] ?? '';
  return {
    id: match(/ ID="([^"]*)"/),
    issuer: match(/Issuer[^>]*>([^<]*)</),
    acsUrl: match(/AssertionConsumerServiceURL="([^"]*)"/),
    relayState: query.get('RelayState') ?? '',
    xml,
  };
}

/** What an assertion says. Times are seconds from now. `null` leaves out. */
export interface Assertion {
  readonly issuer: string;
  readonly nameId: string;
  readonly nameIdFormat: string | null;
  readonly inResponseTo: string | null;
  readonly recipient: string;
  readonly method: string;
  readonly audience: string | null;
  readonly notBefore: number;
  readonly notOnOrAfter: number | null;
  readonly sessionNotOnOrAfter: number | null;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
}

export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

const SHA = {
  sha256: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmlenc#sha256',
  ],
  sha1: ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'],
} as const;

/** What the provider does wrong, or otherwise than usual. */
export interface Hostility {
  readonly assertion?: Partial<Assertion>;
  /** Changes the response before it is signed. */
  readonly unsigned?: (xml: string) => string;
  /** Changes the signed response. */
  readonly signed?: (xml: string, request: SamlRequest) => string;
  readonly signs?: readonly ('Assertion' | 'Response')[];
  readonly signature?: keyof typeof SHA;
  readonly digest?: keyof typeof SHA;
  readonly key?: SigningKey;
  /** Algorithm of the canonical form. */
  readonly form?: string;
}

/** A person who signs in at the provider. */
export type SamlPerson = Partial<Pick<Assertion, 'nameId' | 'nameIdFormat' | 'attributes'>>;

/** A form that the page of the provider sends. */
export interface ResponseForm {
  readonly SAMLResponse: string;
  readonly RelayState: string;
}

/** A small SAML provider that signs in whom a test says, and can be made hostile. */
export class SamlProvider {
  readonly issuer = `https://idp.example/${randomBytes(4).toString('hex')}`;
  hostility: Hostility = {};

  constructor(
    private readonly signing: SigningKey,
    readonly ssoUrl = 'https://idp.example/sso?tenant=1',
  ) {}

  get settings(): Json {
    const { issuer, ssoUrl, signing } = this;
    return { issuer, ssoUrl, certificates: [signing.certificate] };
  }

  /** Metadata, with other certificates or other content. */
  metadata(certificates = [this.signing.certificate], more = ''): string {
    const keys = certificates.map(
      (certificate) =>
        `<KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate.replaceAll(/-----.*-----/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`,
    );
    return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${this.issuer}"><!-- of the tests --><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example/post"/><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${this.ssoUrl}"/></IDPSSODescriptor>${more}</EntityDescriptor>`;
  }

  /** Signs a person in at the page with this URL. @returns the form that the page sends. */
  signIn(url: string, person: SamlPerson): ResponseForm {
    const request = readRequest(url);
    const { unsigned, signed, signs = ['Assertion'], assertion } = this.hostility;
    const values: Assertion = {
      ...{ issuer: this.issuer, nameId: 'p1', nameIdFormat: PERSISTENT, attributes: {} },
      ...{ inResponseTo: request.id, recipient: request.acsUrl, audience: request.issuer },
      method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
      ...{ notBefore: -5, notOnOrAfter: 60, sessionNotOnOrAfter: null },
      ...person,
      ...assertion,
    };
    let xml = responseXml(values, request);
    xml = unsigned?.(xml) ?? xml;
    for (const name of signs) xml = this.sign(xml, name);
    xml = signed?.(xml, request) ?? xml;
    return {
      SAMLResponse: Buffer.from(xml).toString('base64'),
      RelayState: request.relayState,
    };
  }

  private sign(xml: string, name: 'Assertion' | 'Response'): string {
    const { signature = 'sha256', digest = 'sha256', key = this.signing } = this.hostility;
    const { form: c14n = 'http://www.w3.org/2001/10/xml-exc-c14n#' } = this.hostility;
    const signed = new SignedXml({
      ...{ privateKey: key.key, publicCert: key.certificate },
      ...{ signatureAlgorithm: SHA[signature][0], canonicalizationAlgorithm: c14n },
    });
    const xpath = `//*[local-name(.)='${name}']`;
    signed.addReference({
      ...{ xpath, digestAlgorithm: SHA[digest][1] },
      transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', c14n],
    });
    const reference = `${xpath}/*[local-name(.)='Issuer']`;
    signed.computeSignature(xml, { location: { reference, action: 'after' } });
    return signed.getSignedXml();
  }
}

const time = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

const attribute = (name: string, value: string | null): string =>
  value === null ? '' : ` ${name}="${value}"`;

function responseXml(values: Assertion, { id, acsUrl }: SamlRequest): string {
  const { issuer, nameId, nameIdFormat, inResponseTo, recipient, method, audience } = values;
  const { notBefore, notOnOrAfter, sessionNotOnOrAfter, attributes } = values;
  const sessionEnd =
    sessionNotOnOrAfter === null ? '' : attribute('SessionNotOnOrAfter', time(sessionNotOnOrAfter));
  const until = notOnOrAfter === null ? '' : attribute('NotOnOrAfter', time(notOnOrAfter));
  const data = `${attribute('InResponseTo', inResponseTo)} Recipient="${recipient}"${until}`;
  const restriction =
    audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
  const statements = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}">${[value]
        .flat()
        .map((each) => `<saml:AttributeValue>${each}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`,
  );
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${time(0)}" Destination="${acsUrl}" InResponseTo="${id}"><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="_a${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${time(0)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID${attribute('Format', nameIdFormat)}>${nameId}</saml:NameID><saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${data}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${time(notBefore)}"${until}>${restriction}</saml:Conditions><saml:AuthnStatement AuthnInstant="${time(0)}"${sessionEnd}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`;
}

/** Sends the form as the page of a provider does: from another site, without cookies. */
export function deliver(
  origin: string,
  id: string,
  form: Partial<ResponseForm>,
): Promise<ApiResponse> {
  const page = new ApiClient(origin, undefined, CONSOLE, {
    ...{ origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' },
  });
  const body = new URLSearchParams({ ...form }).toString();
  return page.post(
    `/providers/${id}/saml`,
    new FileBody('application/x-www-form-urlencoded', body),
  );
}

/** Returns the query with which the service sends the browser to its page. */
export function queryOf(response: ApiResponse): string {
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '').search.slice(1);
}

/** Completes a sign-in in a browser. */
export const completeIn = (id: string, browser: ApiClient, query: string): Promise<ApiResponse> =>
  browser.post(`/providers/${id}/session`, { query });

/** Signs a person in at the service with this origin. */
export async function signInBySaml(
  provider: SamlProvider,
  origin: string,
  id: string,
  person: SamlPerson,
): Promise<ApiResponse> {
  const { url, browser } = await beginAt(origin, id);
  const delivered = await deliver(origin, id, provider.signIn(url, person));
  return completeIn(id, browser, queryOf(delivered));
}
