import { AppError } from '../../../../../src/common/error/app-error';
import { type Encoding, openText } from '../../../../../src/imports/read/body-text';
import { findDialect } from '../../../../../src/imports/read/csv-dialect';
import { CsvInput } from '../../../../../src/imports/read/csv-input';
import type { CsvRecord } from '../../../../../src/imports/read/csv-reader';
import { findBadByte, RecordFault } from '../../../../../src/common/encoding/utf8-text';
import type { Delimiter } from '../../../../../src/rows/values/delimiter';
import { importText } from '../../../text/import-text';
import type { SourceRecord } from './record';

const t = importText.read;

/** Limits of a record: a longer one has a quote that is never closed. */
const LIMITS = { maxLength: 16 * 1024 * 1024, maxCells: 16_384 };

/** The delimiter of a file. */
export interface FoundDelimiter {
  readonly delimiter: Delimiter;
  /** Whether the file can be read in more than one way, so that the user must choose. */
  readonly isAmbiguous?: true;
}

/**
 * Detects the delimiter from the start of a file, as the import of the API does.
 * @throws AppError `invalid_request` if the file is not CSV.
 */
export function detectDelimiter(head: Uint8Array, encoding: Encoding): FoundDelimiter {
  const text = openText(encoding).read(head);
  try {
    const found = findDialect(text, null, true, LIMITS.maxCells);
    return { delimiter: found?.dialect.delimiter ?? 'comma' };
  } catch (error) {
    const [detail] = error instanceof AppError ? error.details : [];
    if (detail?.field !== 'delimiter' || detail.code !== 'required') throw error;
    return { delimiter: 'comma', isAmbiguous: true };
  }
}

/**
 * Reads the records of a CSV file with the reader of the service, from the first one that has a value.
 * Empty lines are left out, and an empty cell is `null`. A record that cannot be read has an error, and
 * its text as its cell.
 * @throws AppError `invalid_request` if the file contradicts the format.
 */
export async function* readCsv(
  parts: AsyncIterable<Uint8Array>,
  format: { readonly delimiter: Delimiter; readonly encoding: Encoding },
): AsyncGenerator<SourceRecord> {
  const input = new CsvInput(LIMITS, format, () => undefined);
  let hasBegun = false;
  const read = function* (records: Iterable<CsvRecord>): Generator<SourceRecord> {
    for (const record of records) {
      const { content } = record;
      hasBegun ||= content instanceof RecordFault || content.some((cell) => cell !== '');
      if (hasBegun) yield sourceRecord(record, format.encoding);
    }
  };
  for await (const part of parts) yield* read(input.read(part));
  yield* read(input.end());
}

function sourceRecord(record: CsvRecord, encoding: Encoding): SourceRecord {
  const { line, nextLine, content, text = '' } = record;
  if (content instanceof RecordFault) {
    const faulty = { line, cells: [text], error: t.faultyRow(content.reason) };
    const last = nextLine - 1;
    return last > line ? { ...faulty, detail: t.lines(line, last) } : faulty;
  }
  const cells = content.map((cell) => (cell === '' ? null : cell));
  return { line, cells, ...badBytesIn(content, encoding) };
}

/** Why a record cannot be read. */
export type RecordError = Required<Pick<SourceRecord, 'error'>> & Pick<SourceRecord, 'detail'>;

/** Says where the first byte of texts is that is not valid; undefined if all are. */
export function badBytesIn(texts: readonly string[], encoding: Encoding): RecordError | undefined {
  for (const [at, text] of texts.entries()) {
    const bad = findBadByte(text);
    if (!bad) continue;
    const detail = t.byteAt(bad.byte, at + 1, bad.character);
    return { error: t.badBytes(encoding.toUpperCase()), detail };
  }
  return undefined;
}
