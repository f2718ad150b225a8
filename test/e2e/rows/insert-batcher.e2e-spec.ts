import { RowCreateRepository } from '../../../src/rows/write/row-create.repository';
import type { ApiResponse } from '../../support/api-client';
import { newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

let app: TestApp;
let team: Team;
let datagrid: string;
let statements: jest.SpyInstance;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  statements = jest.spyOn(app.nest.get(RowCreateRepository), 'createEach');
  statements.mockClear();
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const create = (values: unknown): Promise<ApiResponse> =>
  team.editor.api.post(`${datagrid}/rows`, { values });

/** Creates `count` rows at once. */
const createAll = (count: number, values: (n: number) => unknown): Promise<ApiResponse[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => create(values(n))));

describe('rows that are created by concurrent requests', () => {
  it('are inserted together, each with its own id, revision and values', async () => {
    const responses = await createAll(60, (n) => ({ sku: `A-${String(n)}`, n }));
    const rows = responses.map(({ body }) => body.data);
    expect(rows.map(({ values }) => values.n)).toEqual(Array.from({ length: 60 }, (_, n) => n));
    const inOrder = [...rows].sort((a, b) => a.id - b.id);
    const upTo60 = Array.from({ length: 60 }, (_, index) => index + 1);
    expect(inOrder.map(({ id }) => id)).toEqual(upTo60);
    expect(inOrder.map(({ revision }) => revision)).toEqual(upTo60);
    expect(statements.mock.calls.length).toBeLessThan(60);
    for (const row of [rows[0], rows[31], rows[59]]) {
      const read = await team.viewer.api.get(`${datagrid}/rows/${String(row.id)}`);
      expect(read.body.data).toEqual(row);
    }
    expect((await team.viewer.api.get(datagrid)).body.data).toMatchObject({
      revision: 60,
      rowCount: 60,
    });
  });

  it('succeed or fail separately: a duplicate unique value rejects only its own row', async () => {
    const responses = await createAll(40, (n) => ({ sku: `B-${String(n % 30)}`, n }));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(30);
    const rejected = responses.filter(({ status }) => status === 409);
    expect(rejected).toHaveLength(10);
    for (const { body } of rejected) {
      expect(body.error).toMatchObject({
        code: 'conflict',
        details: [{ field: 'values.sku', code: 'duplicate' }],
      });
    }
    const { data, meta } = (await team.viewer.api.get(`${datagrid}/rows?limit=200`)).body as {
      data: { id: number; values: { sku: string } }[];
      meta: { total: number };
    };
    expect(meta.total).toBe(30);
    expect(new Set(data.map(({ values }) => values.sku)).size).toBe(30);
    // Ids are assigned only to created rows.
    expect(data.at(-1)?.id).toBe(30);
  });

  it('are validated by the current columns, even if those change at the same time', async () => {
    await createAll(3, (n) => ({ sku: `C-${String(n)}`, n }));
    const changing = team.owner.api.patch(`${datagrid}/columns/n`, { type: 'text' });
    const responses = await createAll(30, (n) => ({ sku: `D-${String(n)}`, n: n % 2 ? n : 'x' }));
    const changed = await changing;
    const rows = (await team.viewer.api.get(`${datagrid}/rows?limit=200`)).body;
    const created = responses.filter(({ status }) => status === 201).length;
    expect(responses.every(({ status }) => status === 201 || status === 400)).toBe(true);
    expect(rows.meta.total).toBe(3 + created);
    // Either the column changed before any row with a number was created, or such rows made the change fail.
    expect([200, 409]).toContain(changed.status);
  });

  it('are inserted one by one if each request has an Idempotency-Key', async () => {
    const single = jest.spyOn(app.nest.get(RowCreateRepository), 'create').mockClear();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        team.editor.api.post(
          `${datagrid}/rows`,
          { values: { sku: `E-${String(n)}` } },
          { 'Idempotency-Key': `key-${datagrid}-${String(n)}` },
        ),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    expect(single.mock.calls.length).toBe(10);
  });
});
