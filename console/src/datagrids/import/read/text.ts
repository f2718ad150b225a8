import { type Encoding, markedEncoding, openText } from '../../../../../src/imports/read/body-text';
import { hasBadBytes, Utf8Text } from '../../../../../src/common/encoding/utf8-text';

/** Bytes that are decoded at once. */
const PART_BYTES = 64 * 1024;

/** Returns the bytes of a file, decompressed if it is compressed with gzip. */
export async function bytesOf(file: Blob): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const bytes = file.stream();
  return first === 0x1f && second === 0x8b
    ? bytes.pipeThrough(new DecompressionStream('gzip'))
    : bytes;
}

/** Reads at most `length` bytes from the start of a file. */
export async function headOf(file: Blob, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = (await bytesOf(file)).getReader();
  const head = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, length - at);
    head.set(part, at);
    at += part.length;
  }
  await reader.cancel();
  return head.subarray(0, at);
}

/** Detects the encoding: a byte order mark, then zero bytes, then whether the bytes are UTF-8. */
export function detectEncoding(head: Uint8Array): Encoding {
  const [a = 1, b = 1] = head;
  const marked = markedEncoding(head);
  if (marked) return marked;
  if (a === 0 && b !== 0) return 'utf-16be';
  if (a !== 0 && b === 0) return 'utf-16le';
  return isMostlyUtf8(head) ? 'utf-8' : 'windows-1252';
}

/**
 * Returns true if all bytes are UTF-8, or if not more bytes are wrong than characters outside ASCII
 * are right: text in another encoding has hardly any of these. A few wrong bytes then cost their
 * rows, and not the letters of the whole file.
 */
function isMostlyUtf8(head: Uint8Array): boolean {
  const text = new Utf8Text().read(head);
  if (!hasBadBytes(text)) return true;
  let [right, wrong] = [0, 0];
  // A mark of a bad byte is a surrogate alone.
  for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
    if (hasBadBytes(character)) wrong += 1;
    else right += 1;
  }
  return right > 0 && right >= wrong;
}

/** Yields the bytes of a file in parts. */
export async function* partsOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = (await bytesOf(file)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A reader of the start of a file decodes no more than it needs.
      for (let at = 0; at < value.length; at += PART_BYTES) {
        yield value.subarray(at, at + PART_BYTES);
      }
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * Yields the text of a file in parts. A byte order mark is left out. Bytes that the encoding does
 * not have are marked.
 */
export async function* textOf(file: Blob, encoding: Encoding): AsyncGenerator<string> {
  const text = openText(encoding);
  for await (const part of partsOf(file)) yield text.read(part);
  yield text.end();
}
