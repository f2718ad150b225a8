import { SaxesParser } from 'saxes';
import { markedEncoding, openText } from '../../../../../../src/imports/read/body-text';
import { importText } from '../../../../text/import-text';
import { FileRejectedError } from '../record';

/** Bytes that are decoded and read at once. */
const SLICE_BYTES = 64 * 1024;

export type Attributes = Readonly<Record<string, string>>;

/** Receives the parts of an XML file. Names have no prefix: writers choose it freely. */
export interface XmlEvents {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/**
 * Reads an XML file in slices, and yields after each.
 * @throws FileRejectedError if it is not well-formed.
 */
export function* xmlSlices(bytes: Uint8Array, events: XmlEvents): Generator<undefined> {
  const parser = new SaxesParser({ xmlns: false, position: false } as const);
  parser.on('error', () => {
    throw new FileRejectedError(importText.read.workbookDamaged);
  });
  parser.on('opentag', ({ name, attributes }) => {
    events.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => events.close?.(localName(name)));
  parser.on('text', (text) => events.text?.(text));
  parser.on('cdata', (text) => events.text?.(text));
  const text = openText(markedEncoding(bytes) ?? 'utf-8');
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    parser.write(text.read(bytes.subarray(at, at + SLICE_BYTES)));
    yield;
  }
  parser.write(text.end()).close();
}

/** Reads a whole XML file. An absent one has nothing. */
export function readXml(bytes: Uint8Array | undefined, events: XmlEvents): void {
  const slices = bytes && xmlSlices(bytes, events);
  while (slices?.next().done === false);
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Returns the attribute with a local name, such as `id` for `r:id`, whatever its prefix is. */
export function prefixed(attributes: Attributes, name: string): string | undefined {
  const found = Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`));
  return found?.[1];
}

/** Returns whether an attribute is true, as XML Schema writes it. */
export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Reads the escapes of control characters in texts of workbooks, such as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.replaceAll(/_x([\dA-F]{4})_/gi, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
