import { createRequire } from 'node:module';

/** Maximum size of XML that is parsed, in bytes. */
export const MAX_XML_BYTES = 256 * 1024;
const MAX_DEPTH = 50;
/** Maximum number of tags and attributes. A response with 250 roles has as many; only owners send metadata. */
const MAX_MARKUP = { none: 2_500, comments: 10_000 };

/** An element. Its text is that of its own text nodes. */
export interface XmlElement {
  /** Name without the prefix. */
  readonly name: string;
  readonly namespace: string;
  /** By name with the prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
  readonly node: XmlNode;
}

/** XML that is malformed, too large or of a kind that is not accepted. */
export class XmlError extends Error {}

/** What the parser returns, as far as it is used here: its own types would add those of browsers to all files. */
export interface XmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  readonly nodeValue: string | null;
  readonly childNodes: { readonly length: number; readonly [index: number]: XmlNode };
  readonly attributes: { readonly length: number; readonly [index: number]: XmlNode };
  cloneNode(deep: boolean): XmlNode;
  appendChild(child: XmlNode): XmlNode;
}

interface Parser {
  parseFromString(text: string, type: string): XmlNode | undefined;
}

// The parser that the library for SAML uses, so that both see the same document.
const { DOMParser } = createRequire(__filename)('@xmldom/xmldom') as {
  readonly DOMParser: new (options: object) => Parser;
};

const [ELEMENT, TEXT, CDATA, COMMENT] = [1, 3, 4, 8];

/** What a document may contain in addition to elements, attributes and text. */
type XmlExtras = 'none' | 'comments';

/**
 * Parses XML without document types, entities and processing instructions.
 * @param extras `comments` also accepts comments and CDATA sections.
 * @throws XmlError
 */
export function parseXml(text: string, extras: XmlExtras = 'none'): XmlElement {
  if (Buffer.byteLength(text) > MAX_XML_BYTES) throw new XmlError('too large');
  // No other markup begins with these characters, and `<` stands nowhere else in well-formed XML.
  const forbidden = extras === 'none' ? /<!|<\?/ : /<!(?!--|\[CDATA\[)|<\?/;
  const body = text.replace(/^\s*<\?xml\s[^<>]*\?>/, '');
  if (forbidden.test(body)) throw new XmlError('a document type, comment or instruction');
  if ((body.match(/<|=\s*["']/g)?.length ?? 0) > MAX_MARKUP[extras])
    throw new XmlError('too much markup');
  const fail = (message: unknown): never => {
    throw new XmlError(String(message));
  };
  const options = { errorHandler: { warning: fail, error: fail, fatalError: fail } };
  const document = new DOMParser(options).parseFromString(text, 'text/xml');
  const roots = listOf(document?.childNodes ?? []).filter((each) => each.nodeType === ELEMENT);
  const [root] = roots;
  if (!root || roots.length > 1) throw new XmlError('not one element');
  return elementOf(root, 1);
}

function elementOf(node: XmlNode, depth: number): XmlElement {
  if (depth > MAX_DEPTH) throw new XmlError('too deep');
  const children: XmlElement[] = [];
  let text = '';
  for (const child of listOf(node.childNodes)) {
    if (child.nodeType === ELEMENT) children.push(elementOf(child, depth + 1));
    else if (child.nodeType === TEXT || child.nodeType === CDATA) text += child.nodeValue ?? '';
    else if (child.nodeType !== COMMENT) throw new XmlError('an unknown node');
  }
  return {
    name: node.localName ?? node.nodeName,
    namespace: node.namespaceURI ?? '',
    attributes: new Map(listOf(node.attributes).map((a) => [a.nodeName, a.nodeValue ?? ''])),
    children,
    text: text.trim(),
    node,
  };
}

function listOf(nodes: { readonly length: number; readonly [index: number]: XmlNode }): XmlNode[] {
  return Array.from(nodes as ArrayLike<XmlNode>);
}

/** Yields an element and everything in it, in the order of the document. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsIn(child);
}

/** Returns the children with a name. */
export const childrenNamed = (
  { children }: XmlElement,
  namespace: string,
  name: string,
): XmlElement[] => children.filter((each) => each.name === name && each.namespace === namespace);

/** Namespaces of SAML and of signatures. */
export const NAMESPACES = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;
