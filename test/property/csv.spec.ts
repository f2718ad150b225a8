import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { AppError } from '../../src/common/error/app-error';
import type { Encoding } from '../../src/imports/read/body-text';
import { RFC_4180, type CsvDialect } from '../../src/imports/read/csv-dialect';
import { CsvInput, type FileFormat } from '../../src/imports/read/csv-input';
import { CsvReader, type CsvRecord } from '../../src/imports/read/csv-reader';
import { RecordFault, type RecordLimits, Utf8Text } from '../../src/common/encoding/utf8-text';
import { DELIMITER_NAMES, DELIMITERS } from '../../src/rows/values/delimiter';

const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '😀', ',', '"', '\n', '\r', ' ', '1') });

/** A cell as a CSV writer may print it: quoted if necessary, and sometimes otherwise. */
const written = fc.tuple(cell, fc.boolean()).map(([text, isQuoted]) => ({
  text,
  csv: isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
}));

const file = fc.record({
  rows: fc.array(fc.array(written, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
  feed: fc.constantFrom('\n', '\r\n'),
  isEnded: fc.boolean(),
});

const LIMITS: RecordLimits = { maxLength: 10_000, maxCells: 100 };

/** Reads bytes that arrive in chunks of these lengths, which are repeated. */
function read(
  bytes: Buffer,
  lengths: readonly number[],
  limits: Partial<RecordLimits> = {},
  dialect: CsvDialect = RFC_4180,
): CsvRecord[] {
  const [text, reader] = [new Utf8Text(), new CsvReader({ ...LIMITS, ...limits }, dialect)];
  const records: CsvRecord[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    records.push(...reader.read(text.read(bytes.subarray(at, at + length))));
    at += length;
  }
  records.push(...reader.read(text.end()), ...reader.end());
  return records;
}

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

it('the CSV reader returns what was written, as csv-parse does, wherever the bytes are split', () => {
  fc.assert(
    fc.property(file, lengths, ({ rows, feed, isEnded }, cuts) => {
      const lines = rows.map((row) => row.map(({ csv }) => csv).join(','));
      const csv = lines.map((line) => line + feed).join('');
      const text = isEnded ? csv : csv.slice(0, csv.length - feed.length);
      const records = read(Buffer.from(text), cuts);
      expect(records.map(({ content }) => content)).toEqual(
        rows.map((row) => row.map((each) => each.text)),
      );
      const options = { relax_column_count: true, record_delimiter: feed };
      const parsed: string[][] = parse(text, options);
      expect(records.map(({ content }) => content)).toEqual(parsed);
      // Line numbers as in a text editor.
      let line = 1;
      for (const [index, record] of records.entries()) {
        expect(record.line).toBe(line);
        line += `${lines[index] ?? ''}${feed}`.split('\n').length - 1;
        expect(record.nextLine).toBe(line);
      }
    }),
    { numRuns: 500 },
  );
});

it('the CSV reader reads any text in the same way wherever it is split, and always ends', () => {
  fc.assert(
    fc.property(cell, lengths, fc.integer({ min: 1, max: 12 }), (text, cuts, most) => {
      const bytes = Buffer.from(text);
      const whole = read(bytes, [bytes.length || 1]);
      expect(read(bytes, cuts)).toEqual(whole);
      // A line that is too long is rejected. The lines after it are read as usual.
      const lines = whole.filter(({ content }) => !(content instanceof RecordFault));
      for (const record of read(bytes, cuts, { maxLength: most })) {
        if (!(record.content instanceof RecordFault)) expect(lines).toContainEqual(record);
      }
    }),
    {
      numRuns: 500,
      // A line that is too long and has an invalid quote, before a line that does not end.
      examples: [['a"\n"\na', [1], 1]],
    },
  );
});

it('the CSV reader rejects records with too many cells, and reads the others as without the limit', () => {
  fc.assert(
    fc.property(cell, lengths, fc.integer({ min: 1, max: 3 }), (text, cuts, maxCells) => {
      const bytes = Buffer.from(text);
      const expected = read(bytes, cuts).map(({ line, nextLine, content }) => {
        const isRead = Array.isArray(content) && content.length <= maxCells;
        return { line, nextLine, content: isRead ? content : expect.any(RecordFault) };
      });
      expect(read(bytes, cuts, { maxCells })).toMatchObject(expected);
    }),
    { numRuns: 1000 },
  );
});

it('the UTF-8 reader decodes bytes wherever they are split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), lengths, (text, cuts) => {
      const [reader, bytes] = [new Utf8Text(), Buffer.from(text)];
      let read = '';
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = cuts[turn % cuts.length] ?? 1;
        read += reader.read(bytes.subarray(at, at + length));
        at += length;
      }
      expect(read + reader.end()).toBe(bytes.toString().replace(/^\uFEFF/, ''));
    }),
  );
});

const ENDS = ['\n', '\r\n', '\r'] as const;
const TEXTS: Readonly<Record<Encoding, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1'),
};

/** A table, and the format in which it is written. */
const table = fc.record({
  rows: fc.array(
    fc.tuple(...Array.from({ length: 3 }, () => fc.string({ unit: cellUnit(), maxLength: 5 }))),
    { minLength: 1, maxLength: 30 },
  ),
  delimiter: fc.constantFrom(...DELIMITER_NAMES),
  feed: fc.constantFrom(...ENDS),
  encoding: fc.constantFrom(...(Object.keys(TEXTS) as Encoding[])),
  isMarked: fc.boolean(),
});

function cellUnit(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'ä', '€', ',', ';', '\t', '|', '"', '\n', '\r', ' ', '1');
}

/** Returns the records that an import reads from a file, and the format that it reports. */
function readFile(
  bytes: Buffer,
  lengths: readonly number[],
  requested: FileFormat,
): { records: CsvRecord[]; found: FileFormat | undefined } {
  let found: FileFormat | undefined;
  const input = new CsvInput(LIMITS, requested, (format) => (found = format));
  const records: CsvRecord[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    records.push(...input.read(bytes.subarray(at, at + length)));
    at += length;
  }
  records.push(...input.end());
  return { records, found };
}

it('an import reads a file with any delimiter, line ending and encoding as it was written, or rejects it as ambiguous', () => {
  let [read, rejected] = [0, 0];
  fc.assert(
    fc.property(table, lengths, fc.boolean(), ({ rows, ...written }, cuts, isRequested) => {
      const { delimiter, feed, encoding, isMarked } = written;
      const separator = DELIMITERS[delimiter];
      const lines = rows.map((row) => row.map((text) => quoted(text, separator)).join(separator));
      const hasMark = isMarked && encoding !== 'windows-1252';
      const text = (hasMark ? '\uFEFF' : '') + lines.map((line) => line + feed).join('');
      const bytes = TEXTS[encoding](text);
      const requested = {
        delimiter: isRequested ? delimiter : null,
        encoding: hasMark ? null : encoding,
      };
      try {
        const { records, found } = readFile(bytes, cuts, requested);
        expect(records.map(({ content }) => content)).toEqual(rows);
        expect(found).toEqual({ delimiter, encoding });
        read += 1;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        expect(isRequested).toBe(false);
        expect(error.message).toContain(`delimiter=${delimiter}`);
        rejected += 1;
      }
    }),
    { numRuns: 1000 },
  );
  expect(read).toBeGreaterThan(rejected);
});

/** Quotes a cell as most writers do: only if its content requires quotes. */
function quoted(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
