import type { ApiResponse, ApiClient, Json } from '../../support/api-client';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'client', type: 'integer' },
  { key: 'round', type: 'integer' },
];

let replicas: [TestApp, TestApp];
let owner: Member;
let datagrid: string;

beforeAll(async () => {
  const first = await TestApp.shared();
  replicas = [first, await TestApp.start({ database: first.database })];
  owner = await first.newAccount();
});

beforeEach(async () => {
  datagrid = await newDatagrid(owner.api, COLUMNS);
});

afterAll(async () => {
  expect(await problemsOf(replicas[0])).toEqual([]);
  await replicas[1].close();
  await replicas[0].close();
});

/** Runs `count` clients at once, alternating between the two replicas. */
async function together<T>(
  count: number,
  work: (api: ApiClient, client: number) => Promise<T>,
): Promise<T[]> {
  const apis = replicas.map((app) => app.api(owner.key));
  const clients = Array.from({ length: count }, (_, client) => client);
  return Promise.all(clients.map((client) => work(apis[client % 2] ?? owner.api, client)));
}

async function allRows(): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page += 1) {
    const path = `${datagrid}/rows?limit=200&page=${String(page)}`;
    const { data } = (await owner.api.get(path)).body;
    if (data.length === 0) return rows;
    rows.push(...data);
  }
}

describe('two instances', () => {
  it('upsert the same keys for 16 clients without an error or a duplicate, and store the last values', async () => {
    const ROUNDS = 6;
    const KEYS = 20;
    const responses = await together(16, async (api, client) => {
      const own: Json[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const first = (client * 7 + round * 3) % KEYS;
        const rows = Array.from({ length: 10 }, (_, i) => {
          return { values: { sku: `k${String((first + i) % KEYS)}`, client, round } };
        });
        const response = await api.put(`${datagrid}/rows`, { matchOn: ['sku'], rows });
        own.push(...dataOf(response, 200).results);
      }
      return own;
    });
    const rows = await allRows();
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => index + 1));
    expect(new Set(rows.map(({ values }) => values.sku)).size).toBe(KEYS);
    expect(rows).toHaveLength(KEYS);
    const results = responses.flat();
    expect(results.filter(({ status }) => status === 'created')).toHaveLength(KEYS);
    // Each write has its own revision. The stored row equals the response of the latest write.
    for (const row of rows) {
      const written = results.filter(({ id, status }) => id === row.id && status !== 'unchanged');
      const last = written.reduce((a, b) => (a.row.revision > b.row.revision ? a : b));
      expect(row).toEqual(last.row);
      expect(new Set(written.map((each) => each.row.revision)).size).toBe(written.length);
    }
    const { revision } = (await owner.api.get(datagrid)).body.data;
    expect(revision).toBe(16 * ROUNDS);
  });

  it('run batches on the same rows for 16 clients without an error', async () => {
    const ROUNDS = 4;
    const rows = Array.from({ length: 8 }, (_, n) => ({ values: { sku: `s${String(n)}` } }));
    await owner.api.post(`${datagrid}/rows`, { rows });
    const responses = await together(16, async (api, client) => {
      const statuses: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = ((client + round) % 8) + 1;
        const operations = [
          { op: 'update', id, values: { client, round } },
          { op: 'update', id: (id % 8) + 1, values: { client, round } },
          { op: 'create', values: { client, round } },
        ];
        const body = { mode: round % 2 === 0 ? 'atomic' : 'partial', operations };
        const response: ApiResponse = await api.post(`${datagrid}/rows/batch`, body);
        const results = dataOf(response, 200).results as Json[];
        statuses.push(...results.map(({ status }) => status));
      }
      return statuses;
    });
    expect(new Set(responses.flat())).toEqual(new Set(['updated', 'created']));
    const all = await allRows();
    expect(all.map(({ id }) => id)).toEqual(
      Array.from({ length: 8 + 16 * ROUNDS }, (_, n) => n + 1),
    );
    expect((await owner.api.get(datagrid)).body.data.revision).toBe(1 + 16 * ROUNDS);
  });

  it('append rows for 100 clients without a lost row, and without gaps in ids and revisions', async () => {
    await together(100, async (api, client) => {
      const row = { values: { client, round: 0 } };
      dataOf(await api.post(`${datagrid}/rows`, row), 201);
      const many = [{ values: { client, round: 1 } }, { values: { client, round: 2 } }];
      expect((await api.post(`${datagrid}/rows`, { rows: many })).status).toBe(201);
      const create = { op: 'create', values: { client, round: 3 } };
      const batch = { mode: 'partial', operations: [create] };
      dataOf(await api.post(`${datagrid}/rows/batch`, batch), 200);
    });
    const rows = await allRows();
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
    const revisions = rows.map((row) => row.revision as number);
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect([...new Set(revisions)]).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    const sent = new Set(rows.map(({ values }) => `${values.client} ${values.round}`));
    expect(sent.size).toBe(400);
    const { rowCount, revision } = (await owner.api.get(datagrid)).body.data;
    expect([rowCount, revision]).toEqual([400, 300]);
  });
});
