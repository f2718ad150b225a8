import { randomBytes } from 'node:crypto';
import { Database } from '../../../src/platform/database/database';
import { BATCH_BYTES, FIRST_BATCH_BYTES } from '../../../src/rows/column-contents/row-batches';
import { StoredValueRepository } from '../../../src/rows/column-contents/stored-value.repository';
import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

/** A value of 1 MB as JSON and about 30 kB as stored. */
const OBJECTS = Array.from({ length: 340_000 }, () => ({}));
const CHOICES = Array.from({ length: 1_000 }, (_, n) => String(n).padEnd(190, 'x'));

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

afterEach(() => jest.restoreAllMocks());

const sheetOf = async (
  column: object,
  value: unknown,
  rows: number,
  api = owner.api,
): Promise<Sheet> => {
  const sheet = await Sheet.create(api, [{ key: 'a', ...column }]);
  for (let n = 0; n < rows; n += 1) expect((await sheet.addRow({ a: value })).status).toBe(201);
  return sheet;
};

/** Collects the size of each later statement's result as JSON. */
function collectResultSizes(): number[] {
  const sizes: number[] = [];
  const database = app.nest.get(Database);
  const run = database.run.bind(database);
  jest.spyOn(database, 'run').mockImplementation(async (...statement) => {
    const rows = await run(...statement);
    sizes.push(JSON.stringify(rows).length);
    return rows;
  });
  return sizes;
}

describe('a type change of large compressed values', () => {
  it('does not read values whose JSON type or length cannot fit the new type', async () => {
    const sheet = await sheetOf({ type: 'json' }, OBJECTS, 2);
    await sheet.addRow({ a: 'x'.repeat(1_000_000) });
    await sheet.addRow({ a: 'x' });
    const sizes = collectResultSizes();
    for (const type of ['text', 'email', 'date', 'integer', 'boolean']) {
      const { status, body } = await sheet.changeColumn('a', { type });
      expect(status).toBe(409);
      expect(body.error.message).toMatch(type === 'text' ? /^type: 2 rows/ : /^type: 4 rows/);
    }
    const options = { choices: CHOICES };
    const select = await sheet.changeColumn('a', { type: 'multiSelect', options });
    expectFailure(select, 'conflict', ['type conflicting_rows']);
    expect(Math.max(...sizes)).toBeLessThan(20_000);
  }, 120_000);

  it('reads the values that it must check in batches of about 1 MiB uncompressed', async () => {
    const options = { choices: CHOICES };
    const sheet = await sheetOf({ type: 'multiSelect', options }, CHOICES, 12);
    const sizes = collectResultSizes();
    const { body } = await sheet.changeColumn('a', { options: { choices: CHOICES.slice(1) } });
    expect(body.error.message).toBe('options: 12 rows have a choice that would be removed');
    expect(Math.max(...sizes)).toBeLessThan(1.5 * 1024 * 1024);
  }, 120_000);

  it.each<[string, object, readonly unknown[]]>([
    ['url', {}, [`https://example.com/${'€'.repeat(8_172)}`]],
    ['decimal', {}, [`-${'9'.repeat(20)}.${'9'.repeat(18)}`]],
    ['number', {}, [1e308, -5e-324, -2.2250738585072014e-308, 0]],
    ['datetime', {}, ['0001-01-01T00:00:00.000Z']],
    ['select', { options: { choices: ['𝒳'.repeat(200)] } }, ['𝒳'.repeat(200)]],
    [
      'multiSelect',
      { options: { choices: ['"\\\u0001', '𝒳'.repeat(200)] } },
      [['𝒳'.repeat(200), '"\\\u0001'], []],
    ],
    ['multiSelect', { options: { choices: CHOICES } }, [CHOICES]],
  ])('converts the longest values that fit the type %s', async (type, others, values) => {
    const sheet = await Sheet.of(owner.api, { type: 'json' }, values);
    expect((await sheet.changeColumn('a', { type, ...others })).status).toBe(200);
    expect(await sheet.values()).toEqual(values.map((a) => ({ a })));
  });
});

describe('an example of a conflicting value', () => {
  it('shows only the beginning of a long value', async () => {
    const sheet = await sheetOf({ type: 'json' }, OBJECTS, 1);
    await sheet.addRow({ a: 'ü'.repeat(3_000) });
    await sheet.addRow({ a: { b: [1] } });
    const found = await owner.api.post(`${sheet.path}/columns/a/preview`, { type: 'integer' });
    expect(dataOf(found, 200).examples).toEqual([
      { rowId: 1, value: `[${'{}, '.repeat(125).slice(0, 499)}…` },
      { rowId: 2, value: `${'ü'.repeat(500)}…` },
      { rowId: 3, value: { b: [1] } },
    ]);
  });
});

describe('the limit on concurrent checks of large datagrids', () => {
  /** Creates a datagrid with more data than the first batch reads. */
  const large = (api = owner.api): Promise<Sheet> =>
    sheetOf({ type: 'text' }, randomText(FIRST_BATCH_BYTES), 2, api);

  /** Blocks reads after the first batch until `release` is called. */
  function blockReads(): { readonly blocked: () => number; readonly release: () => void } {
    const values = app.nest.get(StoredValueRepository);
    const read = values.read.bind(values);
    let blocked = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    jest.spyOn(values, 'read').mockImplementation(async (column, shape, batch) => {
      if (batch.maxBytes === BATCH_BYTES) {
        blocked += 1;
        await released;
      }
      return read(column, shape, batch);
    });
    return { blocked: () => blocked, release };
  }

  it('returns 429 for the third check of an account, and 503 once all checks are used', async () => {
    const [other, third] = [await app.newAccount(), await app.newAccount()];
    const [first, second, beyond] = [await large(), await large(), await large()];
    const [others, othersSecond] = [await large(other.api), await large(other.api)];
    const thirds = await large(third.api);
    const small = await sheetOf({ type: 'text' }, 'x', 3);
    const reads = blockReads();
    const change = (sheet: Sheet): Promise<ApiResponse> =>
      sheet.changeColumn('a', { type: 'integer' });
    const running = [change(first), change(second)];
    await eventually(() => Promise.resolve(reads.blocked() === 2));
    const rejected = await change(beyond);
    expect(rejected).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect((await change(small)).status).toBe(409);
    running.push(change(others), change(othersSecond));
    await eventually(() => Promise.resolve(reads.blocked() === 4));
    const full = await change(thirds);
    expect(full).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    // The rejected change holds no lock.
    expect((await beyond.addRow({ a: 'x' })).status).toBe(201);
    reads.release();
    for (const response of await Promise.all(running)) expect(response.status).toBe(409);
    expect((await change(beyond)).status).toBe(409);
  });
});

/** Returns text that does not compress. */
function randomText(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}
