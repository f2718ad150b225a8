import type { ApiResponse } from '../../support/api-client';
import { describePlain } from '../../support/citus-cluster';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

/** Every kind of query that returns a page; `limit` is appended as the last parameter. */
const QUERIES: readonly [string, string][] = [
  ['in the order of ids', ''],
  ['sorted by an indexed column', 'sort=n&'],
  ['sorted by another column', 'sort=t&'],
  ['filtered by an indexed column', 'filter={"n":{"$gte":0}}&'],
  ['searched', 'q=x&'],
  ['by cursor', 'cursor=&'],
  ['with all its fields', 'fields=n,t&'],
];

const COLUMNS = [
  { key: 'n', type: 'integer', indexed: true },
  { key: 't', type: 'text' },
  { key: 'j', type: 'json' },
];

let app: TestApp;
let team: Team;

afterEach(() => app.close());

async function start(on: Promise<TestApp>): Promise<string> {
  app = await on;
  team = await newTeam(app);
  return `${await newDatagrid(team.owner.api, COLUMNS)}/rows`;
}

const dataBytes = ({ text }: ApiResponse): number =>
  Buffer.byteLength(text.slice('{"data":'.length, text.lastIndexOf(',"meta"')));

/** Returns the same query as a body. */
function bodyOf(query: string): object {
  const members = Object.fromEntries(new URLSearchParams(query));
  const { filter, limit, ...others } = members;
  const parsed = filter === undefined ? {} : { filter: JSON.parse(filter) as object };
  return { ...others, ...parsed, limit: Number(limit) };
}

describe('a page of rows', () => {
  it('has at most MAX_PAGE_BYTES bytes for every kind of query', async () => {
    const limit = 2_000;
    const path = await start(TestApp.shared());
    const { api } = team.owner;
    const rows = [{ n: 1, t: 'xé' }, { n: 2 }, { n: 3 }].map((values) => ({ values }));
    expect((await api.post(path, { rows })).status).toBe(201);
    const fill = async (missing: number): Promise<void> => {
      const { values } = (await api.get(`${path}/1`)).body.data;
      const t = `${String(values.t)}${'x'.repeat(missing)}`;
      await api.patch(`${path}/2`, { values: { t: `x${'é'.repeat(400)}` } });
      expect((await api.patch(`${path}/1`, { values: { t } })).status).toBe(200);
    };
    await fill(0);
    await fill(limit - dataBytes(await api.get(`${path}?limit=2`)));
    expect(dataBytes(await api.get(`${path}?limit=2`))).toBe(limit);
    await app.withSettings({ MAX_PAGE_BYTES: String(limit) }, async () => {
      const send = async (query: string): Promise<ApiResponse[]> => [
        await api.get(`${path}?${query}`),
        await api.post(`${path}/query`, bodyOf(query)),
      ];
      for (const [name, query] of QUERIES) {
        for (const response of await send(`${query}limit=2`)) {
          expect([name, response.status, response.body.data?.length]).toEqual([name, 200, 2]);
        }
      }
      await fill(1);
      for (const [, query] of QUERIES) {
        for (const response of await send(`${query}limit=2`)) {
          expectFailure(response, 'invalid_request', ['limit too_large']);
        }
        for (const response of await send(`${query}limit=1`)) expect(response.status).toBe(200);
      }
      expect((await api.get(`${path}?fields=n&limit=200`)).status).toBe(200);
    });
  });

  it('returns 400 if its numbers are much longer in the response than in the request', async () => {
    const path = await start(TestApp.shared());
    const [, id = ''] = /datagrids\/([^/]+)/.exec(path) ?? [];
    // PostgreSQL prints each of these numbers with 309 digits: 600 kB a row.
    await app.sql.query(
      `INSERT INTO rows SELECT $1, n, jsonb_build_object('j', (
         SELECT jsonb_agg('1e308'::jsonb) FROM generate_series(1, 2000)
       )), 1, now(), now() FROM generate_series(1, 3) n`,
      [id],
    );
    await app.sql.query(
      'UPDATE datagrid_counters SET last_row_id = 3, row_count = 3 WHERE datagrid_id = $1',
      [id],
    );
    await app.withSettings({ MAX_PAGE_BYTES: '1000000' }, async () => {
      for (const query of ['', 'sort=-t&']) {
        const response = await team.owner.api.get(`${path}?${query}limit=3`);
        expectFailure(response, 'invalid_request', ['limit too_large']);
        expect((await team.owner.api.get(`${path}?${query}limit=1`)).status).toBe(200);
      }
    });
  });
});

// Citus replaces no table by a view.
describePlain('a page that PostgreSQL cannot format', () => {
  it('returns 400', async () => {
    const path = await start(TestApp.alone('It replaces the table of rows by a view.'));
    await team.owner.api.post(path, { values: { n: 1 } });
    // Reading the values produces a text of more than 1 GB.
    await app.sql.query(`
      ALTER TABLE rows RENAME TO stored_rows;
      CREATE VIEW rows AS SELECT datagrid_id, id, to_jsonb(repeat('x', 1 << (28 + id::int))) AS "values",
        revision, created_at, updated_at FROM stored_rows`);
    await app.sql.query('UPDATE stored_rows SET id = 2');
    for (const query of ['', 'cursor=&', 'sort=-t&']) {
      const response = await team.owner.api.get(`${path}?${query}limit=3`);
      expectFailure(response, 'invalid_request', ['limit too_large']);
    }
  });
});
