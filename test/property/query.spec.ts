import * as fc from 'fast-check';
import { IndexBuildService } from '../../src/rows/index/index-build.service';
import { sampleSize } from '../support/samples';
import { TestApp, type Member } from '../support/test-app';
import { nested } from './nested-filter';
import { meets, sorted, type ModelColumn, type ModelRow } from './query-model';

const CHOICES = ['open', 'paid', 'späť'];
const COLUMNS: readonly (ModelColumn & { options?: { choices: string[] } })[] = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
  { key: 'weight', type: 'number' },
  { key: 'amount', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'status', type: 'select', options: { choices: CHOICES } },
  { key: 'tags', type: 'multiSelect', options: { choices: CHOICES } },
];

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'ab',
    'Äb',
    'ÄB',
    'z',
    'é',
    'e\u0301',
    '😀',
    '\uffff',
    '%',
    '_',
    "'",
    '\\',
    '"',
    'ß',
    'Ω',
    ...['', 'a', 'b'].map((end) => `${'long '.repeat(150)}${end}`),
  ),
  fc.string({ unit: 'grapheme-composite', maxLength: 4 }).filter((s) => !s.includes('\0')),
);
const decimal = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '1.5',
    '1.50',
    '0.000000000000000001',
    '99999999999999999999.999999999999999999',
  ),
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 0, max: 99 }))
    .map(([a, b]) => `${a}.${b}`),
);
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: text,
  count: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  ),
  weight: fc.oneof(
    fc.constantFrom(0, 0.1, 0.2, 1e21, 5e-324, -1.5e308, 1e-7),
    fc.integer({ min: -2, max: 2 }),
  ),
  amount: decimal,
  paid: fc.boolean(),
  day: fc.constantFrom('0001-01-01', '2024-02-29', '2026-11-21', '9999-12-31'),
  at: fc.constantFrom(
    '0001-01-01T00:00:00.000Z',
    '2026-11-21T10:00:00.000Z',
    '2026-11-21T10:00:00.001Z',
  ),
  status: fc.constantFrom(...CHOICES),
  tags: fc.subarray(CHOICES),
};
const values = (key: string): fc.Arbitrary<unknown> => VALUES[key] ?? fc.constant(null);

const row = fc.record(VALUES, { requiredKeys: [] });

/** Shortens a text to what a search accepts: at most 256 characters. */
const needle = (value: string): string => Array.from(value).slice(-256).join('');

const STARTED_AT_MS = Date.now();
const timeAt = (ms: number): string => new Date(STARTED_AT_MS + ms).toISOString();

/** Attributes of rows, with values around those of the rows that a test creates. */
const number = fc.integer({ min: 0, max: 30 });
const time = fc.integer({ min: -500, max: 2_000 }).map(timeAt);
const ATTRIBUTES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  _id: number,
  _revision: number,
  _createdAt: time,
  _updatedAt: time,
};
const operandOf = (key: string): fc.Arbitrary<unknown> => ATTRIBUTES[key] ?? values(key);

const ORDERED = [...Object.keys(ATTRIBUTES), 'name', 'count', 'weight', 'amount', 'day', 'at'];
const condition = fc.oneof(
  ...ORDERED.flatMap((key) => [
    fc
      .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operandOf(key))
      .map(([op, value]) => ({ [key]: { [op]: value } })),
    fc
      .tuple(fc.constantFrom('$in', '$nin'), fc.array(operandOf(key), { maxLength: 4 }))
      .map(([op, list]) => ({ [key]: { [op]: list } })),
    operandOf(key).map((value) => ({ [key]: value })),
  ]),
  fc
    .tuple(fc.constantFrom('paid', 'status'), fc.constantFrom('$eq', '$ne'))
    .chain(([key, op]) => values(key).map((value) => ({ [key]: { [op]: value } }))),
  fc
    .tuple(fc.constantFrom('$startsWith', '$endsWith'), fc.oneof(text, text.map(needle)))
    .map(([op, value]) => ({ name: { [op]: value } })),
  fc
    .oneof(text.map(needle), fc.constantFrom('ong', 'long '.repeat(20), 'g a', 'g b'))
    .map((value) => ({ name: { $contains: value } })),
  fc.constantFrom(...CHOICES).map((choice) => ({ tags: { $contains: choice } })),
  fc.subarray([...CHOICES]).map((choices) => ({ tags: { $containsAny: choices } })),
  fc
    .tuple(fc.constantFrom('_id', '_updatedAt', ...COLUMNS.map(({ key }) => key)), fc.boolean())
    .map(([key, isNull]) => ({ [key]: { $isNull: isNull } })),
);
const filter = nested(condition);
const sort = fc
  .tuple(
    fc.shuffledSubarray([...ORDERED, 'paid', 'status'], { maxLength: 4 }),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  )
  .map(([keys, descends]) => keys.map((key, i) => (descends[i] ? `-${key}` : key)));
const anyQuery = fc
  .tuple(
    fc.oneof({ weight: 6, arbitrary: filter }, fc.constant({})),
    sort,
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([conditions, keys, limit]) => ({ filter: conditions, sort: keys, limit }));

let app: TestApp;
let owner: Member;
let workspaceId: string;
let serial = 0;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  workspaceId = (await owner.api.post('/workspaces', { name: 'Find' })).body.data.id;
});

afterAll(() => app.close());

type Indexing = 'without indexes' | 'with indexes' | 'with indexes built later';

/** Columns by which rows can be sorted. */
const COMPARABLE = COLUMNS.map(({ key }) => key).filter((key) => key !== 'tags');

/** Creates a datagrid with rows, and changes and deletes some of them. */
async function filled(rows: readonly object[], indexing: Indexing): Promise<[string, ModelRow[]]> {
  const columns = COLUMNS.map((column) => ({
    ...column,
    ...(indexing === 'with indexes' && column.key !== 'tags' && { indexed: true }),
  }));
  const body = { name: `Grid ${String((serial += 1))}`, columns };
  const { id } = (await owner.api.post(`/workspaces/${workspaceId}/datagrids`, body)).body.data;
  const path = `/datagrids/${id}/rows`;
  await owner.api.post(path, { rows: rows.map((each) => ({ values: each })) });
  if (indexing === 'with indexes built later') await markAll(`/datagrids/${id}/columns`);
  for (let row = 1; row < rows.length; row += 5) {
    await owner.api.put(`${path}/${String(row)}`, { values: rows[row] });
    await owner.api.patch(`${path}/${String(row)}`, { values: { count: 2, name: null } });
  }
  for (let row = 3; row < rows.length; row += 7) await owner.api.delete(`${path}/${String(row)}`);
  if (indexing === 'with indexes built later') {
    await app.nest.get(IndexBuildService, { strict: false }).runOnce();
  }
  return [path, (await owner.api.get(`${path}?limit=200`)).body.data];
}

async function markAll(columns: string): Promise<void> {
  for (const key of COMPARABLE) await owner.api.patch(`${columns}/${key}`, { indexed: true });
}

describe.each<Indexing>(['without indexes', 'with indexes', 'with indexes built later'])(
  'a query %s',
  (indexing) => {
    it('returns what a plain list returns: filters, sorts, pages, totals and cursors', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { minLength: 1, maxLength: 25 }),
          fc.array(anyQuery, { minLength: 4, maxLength: 4 }),
          async (rows, queries) => {
            const [path, stored] = await filled(rows, indexing);
            for (const query of queries) {
              const met = stored.filter((each) => meets(COLUMNS, each, query.filter));
              const expected = sorted(COLUMNS, met, query.sort);
              const parameters = new URLSearchParams({
                filter: JSON.stringify(query.filter),
                limit: String(query.limit),
                ...(query.sort.length > 0 && { sort: query.sort.join(',') }),
              });
              const scanned: ModelRow[] = [];
              for (let page = 1; ; page += 1) {
                const response = await owner.api.get(
                  `${path}?${parameters.toString()}&page=${String(page)}`,
                );
                expect(response.body.error).toBeUndefined();
                expect(response.body.meta.total).toBe(expected.length);
                if (response.body.data.length === 0) break;
                scanned.push(...response.body.data);
              }
              expect(scanned).toEqual(expected);
              const byCursor: ModelRow[] = [];
              for (let cursor: string | null = ''; cursor !== null;) {
                const body = { ...query, sort: query.sort.join(',') || undefined, cursor };
                const response = await owner.api.post(`${path}/query`, body);
                expect(Object.keys(response.body.meta)).toEqual(['pageSize', 'nextCursor']);
                byCursor.push(...response.body.data);
                cursor = response.body.meta.nextCursor;
              }
              expect(byCursor).toEqual(expected);
            }
          },
        ),
        { numRuns: sampleSize({ few: 10, all: 20 }) },
      );
      // Sends some thousand requests, which takes about 30 s on two cores.
    }, 120_000);
  },
);
