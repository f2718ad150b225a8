import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const LIMIT = 2_000;

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_ROW_BYTES: String(LIMIT) });
  owner = await app.newAccount();
});

afterAll(() => app.close());

beforeEach(async () => {
  rows = `${await newDatagrid(owner.api, [
    { key: 'n', type: 'number' },
    { key: 'j', type: 'json' },
  ])}/rows`;
});

/** Returns `count` numbers that have 309 digits each in PostgreSQL. */
const numbers = (count: number): string =>
  `[${Array.from({ length: count }, () => '1e308').join()}]`;
const values = (count: number): string => `{"values":{"j":${numbers(count)},"n":5e-324}}`;
const batch = (op: string, count: number): string => {
  const target = op === 'create' ? '' : ',"id":1';
  return `{"mode":"atomic","operations":[{"op":"${op}"${target},${values(count).slice(1)}]}`;
};

const writes: [string, string, (count: number) => Promise<ApiResponse>][] = [
  ['a create', 'values', (count) => owner.api.post(rows, values(count))],
  [
    'a create of several rows',
    'rows.0.values',
    (count) => owner.api.post(rows, `{"rows":[${values(count)}]}`),
  ],
  ['a merge', 'values', (count) => owner.api.patch(`${rows}/1`, values(count))],
  ['a replacement', 'values', (count) => owner.api.put(`${rows}/1`, values(count))],
  ...['create', 'update', 'replace'].map((op): (typeof writes)[number] => [
    `a batch's ${op}`,
    'operations.0.values',
    (count) => owner.api.post(`${rows}/batch`, batch(op, count)),
  ]),
];

describe('the size of numbers with many digits', () => {
  it.each(writes)(
    'counts all digits, although responses have exponents, for %s',
    async (_, path, write) => {
      dataOf(await owner.api.post(rows, { values: {} }), 201);
      const fitting = await write(5);
      expect([200, 201]).toContain(fitting.status);
      expectFailure(await write(6), 'payload_too_large', [`${path} too_large`]);
      const { text } = await owner.api.get(rows);
      expect(text).toContain('e+308');
      expect(text).not.toContain('0'.repeat(308));
    },
  );

  it('counts the stored values of the row for a merge', async () => {
    dataOf(await owner.api.post(rows, `{"values":{"j":${numbers(6)}}}`), 201);
    const small = await owner.api.patch(`${rows}/1`, '{"values":{"n":5e-324}}');
    expectFailure(small, 'payload_too_large', ['values too_large']);
    dataOf(await owner.api.patch(`${rows}/1`, '{"values":{"n":5}}'), 200);
  });
});
