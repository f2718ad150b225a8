import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { nextTurn } from '../../platform/fairness/event-loop-turns';
import { type Person, ProviderError, providerError } from './openid-client';
import { addressKey, isStorable } from './person-address';
import { certificatesOf, isExpired, type SamlCertificate } from './saml-certificate';
import { requireTrustedForm, type TrustedForm } from './saml-signature-form';
import { type SeenSignatures, signerOf } from './saml-signature-value';
import {
  childrenNamed,
  MAX_XML_BYTES,
  NAMESPACES,
  parseXml,
  XmlError,
  type XmlElement,
} from './saml-xml';

/** Difference between the clocks of a provider and of the service that is accepted. */
const MAX_SKEW_MS = 60_000;
/** As SAML allows. */
const MAX_NAME_ID_LENGTH = 256;

/** What a response must be for. */
export interface ExpectedResponse {
  readonly accountId: string;
  /** Entity ID of the provider. */
  readonly issuer: string;
  /** Certificates of the provider: DER in base64. */
  readonly certificates: readonly string[];
  /** Entity ID of the service. */
  readonly entityId: string;
  /** URL that receives responses. */
  readonly acsUrl: string;
  /** ID of the request. */
  readonly requestId: string;
  /** Signatures of earlier responses, which no other one may have. */
  readonly seen: SeenSignatures;
}

/**
 * Returns who has signed in according to a response. Everything that counts is read from the bytes of the assertion
 * that its signature covers.
 * @param encoded Base64, as a form has it.
 * @throws ProviderError
 */
export async function personIn(encoded: string, expected: ExpectedResponse): Promise<Person> {
  const text = decode(encoded);
  await nextTurn(expected.accountId);
  const response = parsed(text);
  requireResponse(response, expected);
  const form = requireTrustedForm(response);
  const signed = await signedAssertionIn(text, expected, form);
  return personOf(parsed(signed), expected);
}

export const UNSOLICITED =
  'Begin the sign-in here: one that begins at the provider is not accepted.';

const invalid = (cause?: unknown): ProviderError =>
  providerError('The provider sent an invalid response. Ask its administrator.', cause);

function decode(encoded: string): string {
  const base64 = encoded.replaceAll(/\s/g, '');
  if (base64.length > Math.ceil(MAX_XML_BYTES / 3) * 4)
    throw providerError(
      'The provider sent a response of more than 256 KiB. Ask its administrator.',
    );
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw invalid();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw invalid();
  }
}

function parsed(text: string): XmlElement {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof XmlError) throw invalid();
    throw error;
  }
}

const WANTS_PERSISTENT =
  'The provider must send a persistent NameID, or one with the email address. Ask its administrator.';

function requireResponse(response: XmlElement, { acsUrl, issuer }: ExpectedResponse): void {
  const { name, namespace, attributes } = response;
  if (name !== 'Response' || namespace !== NAMESPACES.protocol) throw invalid();
  if (attributes.get('Version') !== '2.0') throw invalid();
  const [from] = childrenNamed(response, NAMESPACES.assertion, 'Issuer');
  if (from && from.text !== issuer) throw anotherIssuer();
  if ((attributes.get('Destination') ?? acsUrl) !== acsUrl) throw forAnother();
  const [status] = childrenNamed(response, NAMESPACES.protocol, 'Status');
  const codes = status ? codesIn(status) : [];
  if (codes[0] === 'Success') return;
  if (codes.includes('InvalidNameIDPolicy')) throw providerError(WANTS_PERSISTENT);
  throw providerError('The provider did not let you sign in. Ask its administrator.');
}

/** Returns the last words of the codes of a status, of which each is in the one before. */
function codesIn(element: XmlElement): string[] {
  const [code] = childrenNamed(element, NAMESPACES.protocol, 'StatusCode');
  if (!code) return [];
  return [code.attributes.get('Value')?.split(':').at(-1) ?? '', ...codesIn(code)];
}

/**
 * Returns the signed bytes of the assertion. The library takes long for a large response, so it reads one only if a
 * certificate of the provider has made its signatures.
 */
async function signedAssertionIn(
  text: string,
  expected: ExpectedResponse,
  form: TrustedForm,
): Promise<string> {
  const usable = certificatesOf(expected.certificates).filter((each) => !isExpired(each));
  if (usable.length === 0)
    throw providerError(
      'The certificates of the provider have expired. Ask an owner to enter the new one.',
    );
  const signer = signerIn(form, usable);
  if (!signer) throw wrongSignature();
  if (!expected.seen.isNew(form)) throw forAnother();
  await nextTurn(expected.accountId);
  try {
    return await verified(text, signer.pem, expected, form.signatures.length > 1);
  } catch (error) {
    throw /signature/i.test(String(error)) ? wrongSignature(error) : invalid(error);
  }
}

function signerIn(
  form: TrustedForm,
  certificates: readonly SamlCertificate[],
): SamlCertificate | null {
  try {
    return signerOf(form, certificates);
  } catch (error) {
    throw invalid(error);
  }
}

const wrongSignature = (cause?: unknown): ProviderError =>
  providerError(
    'The signature of the provider does not match the certificates that were entered. Ask an owner to correct them.',
    cause,
  );

async function verified(
  text: string,
  certificate: string,
  { entityId, acsUrl }: ExpectedResponse,
  isResponseSigned: boolean,
): Promise<string> {
  const saml = new SAML({
    ...{ idpCert: certificate, issuer: entityId, callbackUrl: acsUrl },
    ...{ wantAssertionsSigned: true, wantAuthnResponseSigned: isResponseSigned },
    // The library would read some of these from what is not signed (node-saml#433).
    ...{ validateInResponseTo: ValidateInResponseTo.never, audience: false },
    acceptedClockSkewMs: -1,
  });
  const SAMLResponse = Buffer.from(text).toString('base64');
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse });
  return profile?.getAssertionXml?.() ?? '';
}

/** @param assertion Parsed from signed bytes. */
function personOf(assertion: XmlElement, expected: ExpectedResponse): Person {
  const { name, namespace, attributes } = assertion;
  if (name !== 'Assertion' || namespace !== NAMESPACES.assertion) throw invalid();
  if (attributes.get('Version') !== '2.0') throw invalid();
  if (only(assertion, 'Issuer').text !== expected.issuer) throw anotherIssuer();
  requireConditions(only(assertion, 'Conditions'), expected);
  const subject = only(assertion, 'Subject');
  requireConfirmation(subject, expected);
  return {
    ...identityOf(only(subject, 'NameID'), emailIn(assertion)),
    isEmailVerified: null,
    sessionId: null,
    sessionEndsAt: sessionEndIn(assertion),
    groups: [],
  };
}

/** Requires that the person has authenticated. @returns the first end of a session that is set. */
function sessionEndIn(assertion: XmlElement): Date | null {
  const statements = childrenNamed(assertion, NAMESPACES.assertion, 'AuthnStatement');
  if (statements.length === 0) throw invalid();
  const ends = statements.flatMap(({ attributes }) => attributes.get('SessionNotOnOrAfter') ?? []);
  if (ends.length === 0) return null;
  const endMs = Math.min(...ends.map(timeOf));
  if (endMs <= Date.now()) throw expired();
  return new Date(endMs);
}

function requireConditions(conditions: XmlElement, { entityId }: ExpectedResponse): void {
  requireTime(conditions);
  const restrictions = childrenNamed(conditions, NAMESPACES.assertion, 'AudienceRestriction');
  const names = (restriction: XmlElement): boolean =>
    childrenNamed(restriction, NAMESPACES.assertion, 'Audience').some(
      ({ text }) => text === entityId,
    );
  if (restrictions.length === 0 || !restrictions.every(names)) throw forAnother();
}

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Requires that a bearer of the assertion may sign in here, now, and for this request. */
function requireConfirmation(subject: XmlElement, { acsUrl, requestId }: ExpectedResponse): void {
  const bearers = childrenNamed(subject, NAMESPACES.assertion, 'SubjectConfirmation')
    .filter(({ attributes }) => attributes.get('Method') === BEARER)
    .flatMap((each) => childrenNamed(each, NAMESPACES.assertion, 'SubjectConfirmationData'));
  const here = bearers.filter(({ attributes }) => attributes.get('Recipient') === acsUrl);
  if (bearers.length === 0) throw invalid();
  if (here.length === 0) throw forAnother();
  const asked = here.filter(({ attributes }) => attributes.get('InResponseTo') === requestId);
  const [data] = asked;
  if (!data) {
    const isUnsolicited = here.every(({ attributes }) => !attributes.has('InResponseTo'));
    throw isUnsolicited ? providerError(UNSOLICITED) : forAnother();
  }
  if (!data.attributes.has('NotOnOrAfter')) throw invalid();
  requireTime(data);
}

/** Requires the time of `NotBefore` and `NotOnOrAfter`, where they are set. */
function requireTime({ attributes }: XmlElement): void {
  const [from, until] = [attributes.get('NotBefore'), attributes.get('NotOnOrAfter')];
  const now = Date.now();
  const isEarly = from !== undefined && timeOf(from) > now + MAX_SKEW_MS;
  const isLate = until !== undefined && timeOf(until) <= now - MAX_SKEW_MS;
  if (isEarly || isLate) throw expired();
}

export const expired = (): ProviderError =>
  providerError(
    'The response of the provider has expired or is not valid yet. Sign in again; if that does not help, its clock is wrong.',
  );

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw invalid();
  return time;
}

const FORMATS = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
};

function identityOf(
  { text, attributes }: XmlElement,
  email: string | null,
): Pick<Person, 'subject' | 'email'> {
  const format = attributes.get('Format');
  if (text === '' || !isStorable(text)) throw invalid();
  if (text.length > MAX_NAME_ID_LENGTH)
    throw providerError('The provider sent an identifier that is too long. Ask its administrator.');
  if (format === FORMATS.persistent) return { subject: text, email };
  if (format === FORMATS.email)
    return { subject: `mailto:${addressKey(text)}`, email: email ?? text };
  throw providerError(WANTS_PERSISTENT);
}

/** Names of the attribute with the email address: those that providers use by default. */
const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'urn:oid:1.2.840.113549.1.9.1',
];

/** Returns the email address, unless there are several. */
function emailIn(assertion: XmlElement): string | null {
  const attributes = childrenNamed(assertion, NAMESPACES.assertion, 'AttributeStatement').flatMap(
    (statement) => childrenNamed(statement, NAMESPACES.assertion, 'Attribute'),
  );
  for (const name of EMAIL_ATTRIBUTES) {
    const values = attributes
      .filter((each) => each.attributes.get('Name') === name)
      .flatMap((each) => childrenNamed(each, NAMESPACES.assertion, 'AttributeValue'))
      .map(({ text }) => text);
    const [value = ''] = values;
    if (!isStorable(value)) throw invalid();
    if (values.length > 0) return values.length === 1 && value !== '' ? value : null;
  }
  return null;
}

function only(element: XmlElement, name: string): XmlElement {
  const [found, second] = childrenNamed(element, NAMESPACES.assertion, name);
  if (!found || second) throw invalid();
  return found;
}

const forAnother = (): ProviderError =>
  providerError(
    'The provider sent the response for another service or sign-in. Ask its administrator to check the entity ID and the ACS URL.',
  );

const anotherIssuer = (): ProviderError =>
  providerError(
    'The provider has another issuer than the one entered. Enter the issuer of its metadata.',
  );
