import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { FileBody, type Json } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { TestApp, type Member } from '../support/test-app';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const digits = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789')),
  minLength: 1,
  maxLength: 20,
});
const sign = fc.constantFrom('', '-', '+');
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => all.join(''));
const two = (max: number): fc.Arbitrary<string> =>
  fc.nat(max).map((n) => String(n).padStart(2, '0'));
const day = joined(
  fc.constantFrom('2024-', '1970-'),
  fc.constantFrom('01', '02', '12', '12', '13'),
  fc.constantFrom('-01', '-28', '-29', '-30'),
);
const time = joined(two(23), fc.constant(':'), two(59), fc.constant(':'), two(59));

/** Cells that look alike, so that a column of them often gets a type. */
const KINDS: readonly fc.Arbitrary<string>[] = [
  fc.integer().map(String),
  joined(sign, digits),
  joined(sign, digits, fc.constant('.'), digits),
  fc.double().map(String),
  joined(
    sign,
    fc.nat(99).map(String),
    fc.constantFrom('e', 'E', 'e+', 'e-'),
    fc.nat(30).map(String),
  ),
  fc.constantFrom('0', '-0', '-0.0', '1.50', '1e5', '1E5', '9007199254740993', '.5', '5.', '007'),
  fc.constantFrom('true', 'false', 'TRUE', 'False', 'yes', '1'),
  day,
  joined(day, fc.constant('T'), time, fc.constantFrom('', '.5', '.120'), fc.constant('Z')),
  joined(
    day,
    fc.constantFrom('T', 't', ' '),
    time,
    fc.constantFrom('', '.5', '.123', '.123000', '.0001'),
    fc.constantFrom('Z', 'z', '+00:00', '+02:00', ''),
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => !text.includes('\0')),
  fc.constantFrom(' a', '=1', '"', ',', ';', '\t', '\r', '\n', '\r\n', 'null', '{}', '[1]'),
];

const column = fc.constantFrom(...KINDS).chain((kind) =>
  fc.array(fc.oneof({ weight: 9, arbitrary: kind }, { weight: 1, arbitrary: fc.constant('') }), {
    minLength: 4,
    maxLength: 4,
  }),
);

/** A column of each type that an import detects. Random columns rarely lack one. */
const COLUMN_OF_EACH_TYPE: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'FALSE', '', 'True'],
  date: ['2024-02-29', '1970-01-01', '', '2024-12-30'],
  datetime: ['2024-02-29T23:59:00Z', '1970-01-01T00:00:00.5Z', '', '2024-12-30T12:00:00.120Z'],
  decimal: ['1.50', '-0.10', '', '9007199254740993'],
  integer: ['1', '-2', '', '9007199254740991'],
  number: ['1.5', '-0.25', '', '3'],
  text: ['a', '1e5', '', '2024-13-01'],
};

/** Returns a cell as it is exported. See docs/api/imports.md for the types with a canonical form. */
function printed(cell: string, type: string): string {
  if (cell === '') return '';
  if (type === 'boolean') return cell.toLowerCase();
  return type === 'datetime' ? new Date(cell).toISOString() : cell;
}

it('an export returns every cell of a file from which an import created the columns', async () => {
  const types = new Set<string>();
  const each = Object.values(COLUMN_OF_EACH_TYPE).map((cells) => [...cells]);
  await fc.assert(
    fc.asyncProperty(fc.array(column, { minLength: 20, maxLength: 30 }), async (columns) => {
      const header = columns.map((_, index) => `c${String(index)}`);
      const rows = [0, 1, 2, 3].map((row) => columns.map((cells) => cells[row] ?? ''));
      const csv = [header, ...rows].map((row) => row.map(quoted).join(',')).join('\n');
      const grid = await newDatagrid(owner.api, []);
      const file = new FileBody('text/csv', csv);
      const response = await owner.api.post(`${grid}/rows/import?createColumns=true`, file);
      expect(dataOf(response, 201)).toMatchObject({ created: 4, rejected: 0 });
      const { columns: created } = (await owner.api.get(grid)).body.data;
      const typeOf = (created as Json[]).map(({ type }) => type as string);
      typeOf.forEach((type) => types.add(type));
      const { text } = await owner.api.get(`${grid}/rows/export?format=csv`);
      const [, ...exported] = parse(text);
      expect(exported).toEqual(
        rows.map((row) => row.map((cell, index) => printed(cell, typeOf[index] ?? ''))),
      );
    }),
    { numRuns: sampleSize({ few: 12, all: 30 }), examples: [[each]] },
  );
  expect([...types].sort()).toEqual(Object.keys(COLUMN_OF_EACH_TYPE));
}, 120_000);

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
