import { type DetailCode, invalidRequest } from '../../common/error/app-error';
import { isMarkup } from '../../common/text/markup';
import { type Encoding, markedEncoding } from './body-text';

/** Number of bytes at the start of a file that are looked at. */
const START_BYTES = 4_096;
/** Number of bytes from which UTF-16 is recognized: a letter and a line end. */
const MIN_UTF16_BYTES = 4;

const LINE_FEED = 0x0a;

/** First bytes of files that are no text, and what to do with them. */
const BINARY_FILES: readonly { readonly mark: readonly number[]; readonly message: string }[] = [
  {
    mark: [0x50, 0x4b, 0x03, 0x04],
    message: 'is a workbook or a ZIP archive, not text; save the sheet as CSV',
  },
  {
    mark: [0xd0, 0xcf, 0x11, 0xe0],
    message: 'is a workbook of Excel, not text; save the sheet as CSV',
  },
  { mark: [0x1f, 0x8b], message: 'is compressed with gzip; send Content-Encoding: gzip' },
];

/** How the text of a file is to be read, as far as the caller says. */
interface AskedFile {
  readonly format: string;
  readonly encoding: Encoding | null;
}

/**
 * Yields the chunks of a file. Looks at the start as it arrives, and holds nothing back.
 * @throws AppError `invalid_request` if the file is of another kind or in another encoding, with
 *   what to send. The parser would find errors in its lines that do not help, or none.
 */
export async function* checkedStart<Bytes extends Uint8Array>(
  chunks: AsyncIterable<Bytes>,
  asked: AskedFile,
): AsyncGenerator<Bytes> {
  const start = new Uint8Array(START_BYTES);
  let length = 0;
  for await (const chunk of chunks) {
    if (length < START_BYTES) {
      const added = chunk.subarray(0, START_BYTES - length);
      start.set(added, length);
      length += added.length;
      rejectOtherFile(start.subarray(0, length), asked);
    }
    yield chunk;
  }
}

function rejectOtherFile(start: Uint8Array, { format, encoding }: AskedFile): void {
  const binary = BINARY_FILES.find(({ mark }) => mark.every((byte, at) => start[at] === byte));
  if (binary) throw rejectedFile('body', 'invalid_format', binary.message);
  if (isMarkup(new TextDecoder().decode(start))) {
    const message =
      'looks like a web page or XML; check the address and the sign-in of the program that downloaded the file';
    throw rejectedFile('body', 'invalid_format', message);
  }
  if (format !== 'csv' || start.length < MIN_UTF16_BYTES || markedEncoding(start)) return;
  const found = utf16Of(start);
  if (found !== null && found !== encoding) {
    const message = `the file looks like UTF-16 without a byte order mark; send encoding=${found}`;
    throw rejectedFile('encoding', 'required', message);
  }
  if (encoding?.startsWith('utf-16') === true && isWithoutUtf16(start)) {
    const message = `the file is not ${encoding}; send no encoding, or that of the file`;
    throw rejectedFile('encoding', 'incompatible_parameters', message);
  }
}

function rejectedFile(field: string, code: DetailCode, message: string): Error {
  return invalidRequest([{ field, code, message }]);
}

/**
 * Returns which UTF-16 bytes are; `null` if they are not. Half of the characters of most languages have
 * a zero byte. Of others, at least the line ends have one.
 */
function utf16Of(start: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let [even, odd] = [0, 0];
  for (const [at, byte] of start.entries()) {
    if (byte === 0 && at % 2 === 0) even += 1;
    else if (byte === 0) odd += 1;
  }
  if (even > 0 === odd > 0) return null;
  const isLittle = odd > 0;
  const feed = start.indexOf(LINE_FEED);
  const isFeed = feed % 2 === (isLittle ? 0 : 1) && start[feed + (isLittle ? 1 : -1)] === 0;
  const isMost = (even + odd) * 4 >= start.length;
  if (!isMost && (feed === -1 || !isFeed || isUtf8(start))) return null;
  return isLittle ? 'utf-16le' : 'utf-16be';
}

/** Returns whether bytes have a line feed as in UTF-8, and nothing of UTF-16. */
function isWithoutUtf16(start: Uint8Array): boolean {
  return !start.includes(0) && start.includes(LINE_FEED) && isUtf8(start);
}

function isUtf8(start: Uint8Array): boolean {
  try {
    // With `stream`, a character that the end cuts is no error.
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}
