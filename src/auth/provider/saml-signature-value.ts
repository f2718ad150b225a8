import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import type { SamlCertificate } from './saml-certificate';
import type { TrustedForm } from './saml-signature-form';
import { childrenNamed, NAMESPACES, type XmlElement, type XmlNode } from './saml-xml';

/** What the library for signatures exports, as far as it is used here. */
interface Library {
  readonly SignedXml: new () => {
    readonly SignatureAlgorithms: Readonly<Record<string, new () => Algorithm>>;
    getCanonXml(methods: readonly string[], node: XmlNode, options: object): string;
  };
  readonly findAncestorNs: (node: XmlNode, xpath: string) => unknown;
}

interface Algorithm {
  verifySignature(signed: string, certificate: string, value: string): boolean;
}

// The one that the library for SAML uses, so that both read a signature in the same way.
const { SignedXml, findAncestorNs } = createRequire(__filename)('xml-crypto') as Library;

/**
 * Returns the certificate whose key has made the signatures of a response; `null` if there is none. Reads nothing but
 * the signatures: a stranger can send a large response, but not sign it. Does not tell whether the signatures cover
 * what the response says.
 */
export function signerOf(
  form: TrustedForm,
  certificates: readonly SamlCertificate[],
): SamlCertificate | null {
  const outline = outlineOf(form);
  const parts = form.signatures.map((each) => partsOf(each, outline));
  return certificates.find(({ pem }) => parts.every((each) => isMadeWith(pem, each))) ?? null;
}

const MAX_SEEN = 10_000;
/** Longer than an assertion usually lasts. */
const SEEN_MS = 10 * 60_000;

/**
 * Signatures of assertions that have been read. Who has one signed assertion could put it into many large responses,
 * each of which takes the library long before it is rejected.
 */
export class SeenSignatures {
  private readonly seen = new LRUCache<string, true>({ max: MAX_SEEN, ttl: SEEN_MS });

  /** Returns whether a signature is read for the first time. */
  isNew({ assertion }: TrustedForm): boolean {
    const [signature] = childrenNamed(assertion, NAMESPACES.signature, 'Signature');
    const [value] = signature
      ? childrenNamed(signature, NAMESPACES.signature, 'SignatureValue')
      : [];
    // The same bytes can be written in several ways.
    const bytes = Buffer.from(value?.text ?? '', 'base64').toString('base64');
    if (this.seen.has(bytes)) return false;
    this.seen.set(bytes, true);
    return true;
  }
}

/** Returns the elements around the signatures, with nothing else in them. */
function outlineOf({ response, assertion }: TrustedForm): XmlNode {
  const outline = (element: XmlElement): XmlNode => {
    const copy = element.node.cloneNode(false);
    for (const child of element.children) {
      if (child === assertion) copy.appendChild(outline(child));
      else if (child.name === 'Signature') copy.appendChild(child.node.cloneNode(true));
    }
    return copy;
  };
  return outline(response);
}

interface SignatureParts {
  /** What is signed. */
  readonly signed: string;
  readonly value: string;
  readonly algorithm: Algorithm | null;
}

function partsOf(signature: XmlElement, outline: XmlNode): SignatureParts {
  const child = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
    element && childrenNamed(element, NAMESPACES.signature, name)[0];
  const info = child(signature, 'SignedInfo');
  const algorithmOf = (name: string): string =>
    child(info, name)?.attributes.get('Algorithm') ?? '';
  const library = new SignedXml();
  const { [algorithmOf('SignatureMethod')]: Algorithm } = library.SignatureAlgorithms;
  // As the library does: the namespaces around the first one count for all.
  const ancestorNamespaces = findAncestorNs(outline, ".//*[local-name()='SignedInfo']");
  const method = algorithmOf('CanonicalizationMethod');
  return {
    signed: info ? library.getCanonXml([method], info.node, { ancestorNamespaces }) : '',
    value: child(signature, 'SignatureValue')?.text ?? '',
    algorithm: Algorithm ? new Algorithm() : null,
  };
}

const isMadeWith = (certificate: string, { signed, value, algorithm }: SignatureParts): boolean =>
  algorithm?.verifySignature(signed, certificate, value) === true;
