import { type ProviderError, providerError } from './openid-client';
import { childrenNamed, elementsIn, NAMESPACES, type XmlElement } from './saml-xml';

/** Algorithms of signatures and digests: SHA-2 with RSA. */
const ALGORITHMS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'SignatureMethod',
    new Set([
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    ]),
  ],
  [
    'DigestMethod',
    new Set(['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']),
  ],
]);

/** A response has no comments, so it does not matter whether they would be signed. */
const TRANSFORMS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments',
]);

const ENCRYPTED = new Set([
  'EncryptedAssertion',
  'EncryptedID',
  'EncryptedAttribute',
  'EncryptedData',
]);

/** A response whose form is trusted. Its signatures are that of the assertion and perhaps its own. */
export interface TrustedForm {
  readonly response: XmlElement;
  readonly assertion: XmlElement;
  readonly signatures: readonly XmlElement[];
}

/**
 * Requires that a response has one assertion, that its signature is where it must be, and that nothing in the
 * response could be taken for another assertion or signature. Signature wrapping needs such a place.
 * @throws ProviderError
 */
export function requireTrustedForm(response: XmlElement): TrustedForm {
  const elements = [...elementsIn(response)];
  if (elements.some(({ name }) => ENCRYPTED.has(name)))
    throw providerError(
      'The provider encrypts its responses, which is not supported. Ask its administrator to switch encryption off.',
    );
  const assertions = elements.filter(({ name }) => name === 'Assertion');
  const [assertion] = childrenNamed(response, NAMESPACES.assertion, 'Assertion');
  if (assertions.length !== 1 || !assertion) throw ambiguous();
  const own = childrenNamed(assertion, NAMESPACES.signature, 'Signature');
  const outer = childrenNamed(response, NAMESPACES.signature, 'Signature');
  if (own.length === 0)
    throw providerError(
      'The provider does not sign its assertions. Ask its administrator to switch that on.',
    );
  const signatures = elements.filter(({ name }) => name === 'Signature');
  if (own.length > 1 || outer.length > 1 || signatures.length !== own.length + outer.length)
    throw ambiguous();
  requireDistinctIds(elements);
  requireFewNamespaces([
    response,
    assertion,
    ...signatures.flatMap((each) => [...elementsIn(each)]),
  ]);
  for (const signature of signatures) requireAlgorithms(signature);
  return { response, assertion, signatures };
}

const ID_ATTRIBUTE = /(?:^|:)id$/i;

function requireDistinctIds(elements: readonly XmlElement[]): void {
  const ids = elements.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => ID_ATTRIBUTE.test(name)).map(([, value]) => value),
  );
  if (new Set(ids).size < ids.length) throw ambiguous();
}

/** Elements that may be in a signature, with its certificates. All are read before the signature is checked. */
const MAX_SIGNATURE_ELEMENTS = 100;

/** Namespaces that may be in scope of a signature, and characters of a list of their prefixes. */
const [MAX_NAMESPACES, MAX_PREFIXES] = [100, 500];

/**
 * Requires that what is around a signature declares few namespaces. The library compares each with each listed prefix,
 * before it checks a digest or a signature.
 */
function requireFewNamespaces(elements: readonly XmlElement[]): void {
  const names = elements.flatMap(({ attributes }) => [...attributes.keys()]);
  if (names.filter((name) => /^xmlns(?::|$)/.test(name)).length > MAX_NAMESPACES) throw ambiguous();
}

function requireFewPrefixes({ children }: XmlElement): void {
  const lists = children.filter(({ name }) => name === 'InclusiveNamespaces');
  const [list] = lists;
  const length = list?.attributes.get('PrefixList')?.length ?? 0;
  if (lists.length > 1 || length > MAX_PREFIXES) throw ambiguous();
}

function requireAlgorithms(signature: XmlElement): void {
  const elements = [...elementsIn(signature)];
  const count = (name: string): number => elements.filter((each) => each.name === name).length;
  if (count('Reference') !== 1 || count('SignedInfo') !== 1 || count('Object') > 0)
    throw ambiguous();
  if (elements.length > MAX_SIGNATURE_ELEMENTS) throw ambiguous();
  for (const element of elements) {
    requireFewPrefixes(element);
    const { name, attributes } = element;
    const algorithm = attributes.get('Algorithm') ?? '';
    if (ALGORITHMS.get(name)?.has(algorithm) === false)
      throw providerError(
        'The provider signs with a weak or unknown algorithm. Ask its administrator to use RSA with SHA-256.',
      );
    if (/^(?:Transform|CanonicalizationMethod)$/.test(name) && !TRANSFORMS.has(algorithm))
      throw ambiguous();
  }
}

const ambiguous = (): ProviderError =>
  providerError('The provider sent an invalid response. Ask its administrator.');
