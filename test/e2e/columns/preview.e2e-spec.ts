import type { ApiClient, ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let admin: ApiClient;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  admin = team.admin.api;
});

afterAll(() => app.close());

const TEXTS = ['1', 'two', null, '3', 'two', '1', '1'];

beforeEach(async () => {
  const { api } = team.owner;
  const choices = { choices: ['a', 'b', 'c'] };
  grid = await newDatagrid(api, [
    { key: 'word', type: 'text' },
    { key: 'pick', type: 'select', options: choices },
    { key: 'price', type: 'decimal' },
  ]);
  const rows = TEXTS.map((word, n) => ({
    values: { word, pick: choices.choices[n % 3], price: n < 2 ? `1.5${'0'.repeat(n)}` : `${n}` },
  }));
  await api.post(`${grid}/rows`, { rows });
});

const preview = (key: string, body: object, as = admin): Promise<ApiResponse> =>
  as.post(`${grid}/columns/${key}/preview`, body);

describe('the preview of a column change', () => {
  it.each<[string, object, object]>([
    [
      'word',
      { type: 'integer' },
      {
        field: 'type',
        conflicting: 6,
        examples: [1, 2, 4, 5, 6, 7].map((rowId) => ({ rowId, value: TEXTS[rowId - 1] })),
      },
    ],
    [
      'word',
      { required: true },
      { field: 'required', conflicting: 1, examples: [{ rowId: 3, value: null }] },
    ],
    [
      'word',
      { unique: true },
      {
        field: 'unique',
        conflicting: 3,
        examples: [
          { rowId: 5, value: 'two' },
          { rowId: 6, value: '1' },
          { rowId: 7, value: '1' },
        ],
      },
    ],
    [
      'pick',
      { options: { choices: ['a', 'b'] } },
      {
        field: 'options',
        conflicting: 2,
        examples: [
          { rowId: 3, value: 'c' },
          { rowId: 6, value: 'c' },
        ],
      },
    ],
    [
      'price',
      { unique: true },
      { field: 'unique', conflicting: 1, examples: [{ rowId: 2, value: '1.50' }] },
    ],
  ])('returns the rows of column %s that conflict with %j', async (key, body, expected) => {
    expect(dataOf(await preview(key, body), 200)).toEqual({
      rows: 7,
      checked: 7,
      code: 'conflicting_rows',
      ...expected,
    });
    // The change itself returns the same conflicts.
    const change = await team.owner.api.patch(`${grid}/columns/${key}`, body);
    const { field, conflicting } = expected as { field: string; conflicting: number };
    expectFailure(change, 'conflict', [`${field} conflicting_rows`]);
    expect(change.body.error.message).toContain(`${field}: ${conflicting} row`);
  });

  it.each<[string, object]>([
    ['word', { title: 'Wörter', indexed: true }],
    ['word', { type: 'json' }],
    ['pick', { options: { choices: ['c', 'b', 'a', 'd'] } }],
    ['pick', { type: 'text', required: true }],
    ['price', { type: 'text', unique: true }],
  ])('returns no conflicts for column %s with %j, and the change succeeds', async (key, body) => {
    const found = { rows: 7, checked: 7, conflicting: 0, examples: [] };
    expect(dataOf(await preview(key, body), 200)).toEqual(found);
    const change = await team.owner.api.patch(`${grid}/columns/${key}`, body);
    expect(change.status).toBe(200);
  });

  it('changes nothing and waits for no lock', async () => {
    const state = async (): Promise<string> => (await team.owner.api.get(grid)).text;
    const before = await state();
    const datagridId = grid.slice('/datagrids/'.length);
    const client = await app.sql.connect();
    try {
      await client.query('BEGIN');
      // Citus accepts the lock of one datagrid only.
      const lock = 'SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE';
      expect((await client.query(lock, [datagridId])).rows).toHaveLength(1);
      expect((await preview('word', { unique: true })).status).toBe(200);
      expect((await preview('word', { type: 'integer', required: true })).status).toBe(200);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect(await state()).toBe(before);
    const claims = await app.sql.query('SELECT 1 FROM unique_values WHERE datagrid_id = $1', [
      datagridId,
    ]);
    expect(claims.rows).toEqual([]);
  });

  it('returns at most ten examples and counts all conflicts', async () => {
    const rows = Array.from({ length: 1_000 }, () => ({ values: { word: 'same' } }));
    for (let n = 0; n < 6; n += 1) await team.owner.api.post(`${grid}/rows`, { rows });
    for (const body of [{ type: 'boolean' }, { unique: true }]) {
      const found = dataOf(await preview('word', body), 200);
      expect(found).toMatchObject({ rows: 6_007, checked: 6_007 });
      expect(found.examples).toHaveLength(10);
      expect(found.conflicting).toBe('type' in body ? 6_006 : 6_002);
    }
  });

  it('returns 403, 404 and 400 as the change itself does', async () => {
    expectFailure(await preview('word', { required: true }, team.editor.api), 'forbidden');
    for (const key of ['none', 'No', '%00', '%ff']) {
      expectFailure(await preview(key, { required: true }), 'not_found');
    }
    const { api } = await app.newAccount();
    expectFailure(await preview('word', { required: true }, api), 'not_found');
    expectFailure(await preview('word', { type: 'select' }), 'invalid_request', [
      'options.choices required',
    ]);
    expectFailure(await preview('word', { type: 'x' }), 'invalid_request', ['type not_a_choice']);
    expectFailure(await preview('word', { id: 1 }), 'invalid_request', ['id unknown_property']);
  });
});
