import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { AppError } from '../../src/common/error/app-error';
import type { Encoding } from '../../src/rows/import/read/body-text';
import { RFC_4180, type CsvDialect } from '../../src/rows/import/read/csv-dialect';
import { CsvInput, type FileFormat } from '../../src/rows/import/read/csv-input';
import { CsvReader, type CsvRecord } from '../../src/rows/import/read/csv-reader';
import { RecordFault, type RecordLimits } from '../../src/rows/import/read/record';
import { Utf8Text } from '../../src/rows/import/read/utf8-text';
import { DELIMITER_NAMES, DELIMITERS } from '../../src/rows/values/delimiter';

const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '😀', ',', '"', '\n', '\r', ' ', '1') });

/** As a writer of CSV might put it: quoted where it must be, or anyway. */
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

/** Reads bytes that come in pieces of these lengths, over and over. */
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

it('CSV is read as it was written, wherever it is cut, and as csv-parse reads it', () => {
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
      // The lines that editors count.
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

it('Any text is read, in the same way wherever it is cut, and nothing goes on for ever', () => {
  fc.assert(
    fc.property(cell, lengths, fc.integer({ min: 1, max: 12 }), (text, cuts, most) => {
      const bytes = Buffer.from(text);
      const whole = read(bytes, [bytes.length || 1]);
      expect(read(bytes, cuts)).toEqual(whole);
      // A line too long is refused, and those after it are read as they would be.
      const lines = whole.filter(({ content }) => !(content instanceof RecordFault));
      for (const record of read(bytes, cuts, { maxLength: most })) {
        if (!(record.content instanceof RecordFault)) expect(lines).toContainEqual(record);
      }
    }),
    {
      numRuns: 500,
      // Too long, with a quote where none may be, before one that does not end.
      examples: [['a"\n"\na', [1], 1]],
    },
  );
});

it('A record of too many cells is rejected, and the others are read as without that limit', () => {
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

it('Bytes are turned into the text they are, wherever they are cut', () => {
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

/** What a writer may make of a table of at least two columns. */
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

/** The records of a file as an import finds them, and the format that it reports. */
function readFile(
  bytes: Buffer,
  lengths: readonly number[],
  asked: FileFormat,
): { records: CsvRecord[]; found: FileFormat | undefined } {
  let found: FileFormat | undefined;
  const input = new CsvInput(LIMITS, asked, (format) => (found = format));
  const records: CsvRecord[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    records.push(...input.read(bytes.subarray(at, at + length)));
    at += length;
  }
  records.push(...input.end());
  return { records, found };
}

it('A file of any delimiter, line end and encoding is read as it was written, or called ambiguous', () => {
  let [read, refused] = [0, 0];
  fc.assert(
    fc.property(table, lengths, fc.boolean(), ({ rows, ...written }, cuts, isAsked) => {
      const { delimiter, feed, encoding, isMarked } = written;
      const separator = DELIMITERS[delimiter];
      const lines = rows.map((row) => row.map((text) => quoted(text, separator)).join(separator));
      const hasMark = isMarked && encoding !== 'windows-1252';
      const text = (hasMark ? '\uFEFF' : '') + lines.map((line) => line + feed).join('');
      const bytes = TEXTS[encoding](text);
      const asked = {
        delimiter: isAsked ? delimiter : null,
        encoding: hasMark ? null : encoding,
      };
      try {
        const { records, found } = readFile(bytes, cuts, asked);
        expect(records.map(({ content }) => content)).toEqual(rows);
        expect(found).toEqual({ delimiter, encoding });
        read += 1;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        expect(isAsked).toBe(false);
        expect(error.message).toContain(`delimiter=${delimiter}`);
        refused += 1;
      }
    }),
    { numRuns: 1000 },
  );
  expect(read).toBeGreaterThan(refused);
});

/** As most writers do: where the cell has something that its own delimiter needs quotes for. */
function quoted(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
