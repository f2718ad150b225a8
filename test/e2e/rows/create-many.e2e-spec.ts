import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, RFC3339, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let datagrid: string;
let rows: string;

const columns = [
  { key: 'n', type: 'integer', required: true },
  { key: 't', type: 'text' },
];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, columns);
  rows = `${datagrid}/rows`;
});

afterAll(() => app.close());

const many = (count: number): { values: { n: number } }[] =>
  Array.from({ length: count }, (_, n) => ({ values: { n } }));

/** Expects that no row was written and no revision or id was used. */
async function expectUntouched(): Promise<void> {
  const { body } = await team.viewer.api.get(datagrid);
  expect(body.data).toMatchObject({ rowCount: 0, revision: 0 });
  expect((await team.viewer.api.get(rows)).body.data).toEqual([]);
  const next = await team.editor.api.post(rows, { values: { n: 1 } });
  expect(next.body.data).toMatchObject({ id: 1, revision: 1 });
}

describe('POST /datagrids/{datagridId}/rows with { rows }', () => {
  it('returns 1,000 rows in their order as one page', async () => {
    const { status, body, headers } = await team.editor.api.post(rows, { rows: many(1_000) });
    const created = body.data as { id: number; values: unknown; revision: number }[];
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(body.meta).toEqual({ total: 1_000, page: 1, pageSize: 1_000, totalPages: 1 });
    expect(created.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
    expect(created.map(({ values }) => values)).toEqual(many(1_000).map(({ values }) => values));
    expect(new Set(created.map(({ revision }) => revision))).toEqual(new Set([1]));
    expect(created[999]).toEqual({
      id: 1_000,
      values: { n: 999 },
      revision: 1,
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: body.data[0].createdAt,
    });
    expect(headers.get('link')).toBeNull();
    const last = await team.viewer.api.get(`${rows}?page=50`);
    expect(last.body.data).toEqual(created.slice(980));
  });

  it('returns a list for a list of one row', async () => {
    const { status, body } = await team.editor.api.post(rows, { rows: many(1) });
    expect(status).toBe(201);
    expect(body.data).toHaveLength(1);
    expect(body.meta).toEqual({ total: 1, page: 1, pageSize: 1, totalPages: 1 });
  });

  it('assigns ids without gaps to concurrent calls', async () => {
    const calls = Array.from({ length: 8 }, () => team.editor.api.post(rows, { rows: many(25) }));
    const ids = (await Promise.all(calls)).flatMap(({ body }) =>
      (body.data as { id: number }[]).map(({ id }) => id),
    );
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect((await team.viewer.api.get(datagrid)).body.data).toMatchObject({
      rowCount: 200,
      revision: 8,
    });
  });

  it.each<[string, unknown, string]>([
    ['1,001 rows', many(1_001), 'rows out_of_range'],
    ['no rows', [], 'rows out_of_range'],
    ['an object for rows', {}, 'rows wrong_type'],
    ['null for rows', null, 'rows wrong_type'],
    ['null for a row', [{ values: { n: 1 } }, null], 'rows.1 wrong_type'],
    ['a list for a row', [[]], 'rows.0 wrong_type'],
    ['a row without values', [{ values: { n: 1 } }, {}], 'rows.1.values required'],
    ['values without the object around', [{ n: 1 }], 'rows.0.n unknown_property'],
    ['an id', [{ id: 1, values: { n: 1 } }], 'rows.0.id unknown_property'],
  ])('returns 400 for %s', async (_, body, detail) => {
    const response = await team.editor.api.post(rows, { rows: body });
    expectFailure(response, 'invalid_request', [detail]);
    await expectUntouched();
  });

  it('returns 400, lists every invalid row and creates none', async () => {
    const sent = [...many(3), { values: { n: 1.5 } }, { values: { x: 1 } }, { values: { n: 4 } }];
    expectFailure(await team.editor.api.post(rows, { rows: sent }), 'invalid_request', [
      'rows.3.values.n wrong_type',
      'rows.4.values.x unknown_column',
      'rows.4.values.n required',
    ]);
    await expectUntouched();
  });

  it('lists the first 100 of 1,000 invalid rows', async () => {
    const sent = Array.from({ length: 1_000 }, () => ({ values: {} }));
    const { status, body } = await team.editor.api.post(rows, { rows: sent });
    expect(status).toBe(400);
    expect(body.error.message).toContain('1000');
    expect(body.error.details).toHaveLength(100);
    expect(body.error.details[99].field).toBe('rows.99.values.n');
  });

  it('returns 403 for a viewer', async () => {
    expectFailure(await team.viewer.api.post(rows, { rows: many(2) }), 'forbidden');
    await expectUntouched();
  });

  it('returns 413, names a row that is too large and creates none', async () => {
    const sent = [...many(1), { values: { n: 1, t: 'x'.repeat(1024 * 1024) } }];
    const response = await team.editor.api.post(rows, { rows: sent });
    expectFailure(response, 'payload_too_large', ['rows.1.values too_large']);
    await expectUntouched();
  });
});
