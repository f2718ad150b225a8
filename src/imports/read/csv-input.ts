import { invalidRequest } from '../../common/error/app-error';
import type { Delimiter } from '../../rows/values/delimiter';
import {
  markedEncoding,
  MAX_MARK_BYTES,
  openText,
  type BodyText,
  type Encoding,
} from './body-text';
import { findDialect } from './csv-dialect';
import { CsvReader, type CsvRecord } from './csv-reader';
import { joined, type RecordLimits } from '../../common/encoding/utf8-text';

/** Delimiter and encoding of a file; `null` if not yet known. */
export interface FileFormat {
  readonly delimiter: Delimiter | null;
  readonly encoding: Encoding | null;
}

/**
 * Reads the records of a CSV file. Detects its encoding, delimiter and line ending from its
 * beginning.
 */
export class CsvInput {
  private bytes: Uint8Array | null = new Uint8Array(0);
  private text: BodyText | null = null;
  private encoding: Encoding = 'utf-8';
  private beginning = '';
  /**
   * Length of the beginning at which detection runs again, because each detection takes time linear
   * in the length.
   */
  private nextLook = 0;
  private reader: CsvReader | null = null;

  /**
   * @param asked The format that the caller requests.
   * @param onFound Called once, before the first record.
   */
  constructor(
    private readonly limits: RecordLimits,
    private readonly asked: FileFormat,
    private readonly onFound: (format: FileFormat) => void,
  ) {}

  /** @throws AppError `invalid_request` if the format of the file is ambiguous. */
  read(chunk: Uint8Array): Iterable<CsvRecord> {
    if (this.reader && this.text) return this.reader.read(this.text.read(chunk));
    return this.open(this.decode(chunk, false), false);
  }

  *end(): Generator<CsvRecord> {
    if (!this.reader || !this.text) yield* this.open(this.decode(new Uint8Array(0), true), true);
    else yield* this.reader.read(this.text.end());
    if (this.reader) yield* this.reader.end();
  }

  private decode(chunk: Uint8Array, isLast: boolean): string {
    let bytes = chunk;
    if (!this.text) {
      bytes = this.bytes ? joined(this.bytes, chunk) : chunk;
      this.bytes = bytes;
      if (bytes.length < MAX_MARK_BYTES && !isLast) return '';
      this.bytes = null;
      this.encoding = encodingOf(bytes, this.asked.encoding);
      this.text = openText(this.encoding);
    }
    const text = this.text.read(bytes);
    return isLast ? text + this.text.end() : text;
  }

  private open(text: string, isWhole: boolean): Iterable<CsvRecord> {
    this.beginning += text;
    const { length } = this.beginning;
    if (length < this.nextLook && !isWhole) return [];
    const { maxLength, maxCells } = this.limits;
    const isTooLong = length > maxLength;
    const { delimiter } = this.asked;
    const found = findDialect(this.beginning, delimiter, isWhole || isTooLong, maxCells);
    this.nextLook = 2 * length;
    if (!found) return [];
    const { dialect, from, line } = found;
    this.reader = new CsvReader(this.limits, dialect, line);
    this.onFound({ delimiter: dialect.delimiter, encoding: this.encoding });
    const rest = this.beginning.slice(from);
    this.beginning = '';
    return this.reader.read(rest);
  }
}

/** Returns the requested encoding, or that of the byte order mark, or else UTF-8. */
function encodingOf(bytes: Uint8Array, asked: Encoding | null): Encoding {
  const marked = markedEncoding(bytes);
  if (asked && marked && asked !== marked) {
    const message = `the file begins with the byte order mark of ${marked}; send encoding=${marked} or no encoding`;
    throw invalidRequest([{ field: 'encoding', code: 'incompatible_parameters', message }]);
  }
  return asked ?? marked ?? 'utf-8';
}
