import { importText } from '../../../text/import-text';
import { FileRejectedError, type Encoding } from './record';

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
export async function headOf(file: Blob, length: number): Promise<Uint8Array> {
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
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0 && b !== 0) return 'utf-16be';
  if (a !== 0 && b === 0) return 'utf-16le';
  try {
    // With `stream`, a character that the end cuts is no error.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/**
 * Yields the text of a file in parts. A byte order mark is left out.
 * @throws FileRejectedError for bytes that the encoding does not have. They are not replaced.
 */
export async function* textOf(file: Blob, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes: Uint8Array<ArrayBuffer> | undefined): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new FileRejectedError(importText.read.encoding(encoding.toUpperCase()));
    }
  };
  const reader = (await bytesOf(file)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A reader of the start of a file meets only what is wrong there.
      for (let at = 0; at < (value?.length ?? 0); at += PART_BYTES) {
        const text = decode(value?.subarray(at, at + PART_BYTES));
        if (text !== '') yield text;
      }
      if (!done) continue;
      const text = decode(undefined);
      if (text !== '') yield text;
      return;
    }
  } finally {
    await reader.cancel();
  }
}
