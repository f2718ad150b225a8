import type { ApiClient, Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';
import { completed, importCsv } from '../import/sending';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];
// Many writers, on a machine that may be busy.
jest.setTimeout(120_000);

const HOUR_MS = 3_600_000;
/** A limit that rejects none of the writers. */
const IMPORTS = { MAX_CONCURRENT_IMPORTS: '64' };

let replicas: [TestApp, TestApp];
let owner: Member;
let serial = 0;

beforeAll(async () => {
  const first = await TestApp.start({ settings: IMPORTS });
  replicas = [first, await TestApp.start({ settings: IMPORTS, database: first.database })];
  owner = await first.newAccount();
});

afterAll(async () => {
  await replicas[1].close();
  await replicas[0].close();
});

const values = (): object => ({ sku: `s${String((serial += 1))}`, n: serial });

/** Creates a datagrid with rows 1 to 8 whose skus are their ids. */
async function newSheet(): Promise<string> {
  const datagrid = await newDatagrid(owner.api, COLUMNS);
  const rows = Array.from({ length: 8 }, (_, i) => ({ values: { sku: String(i + 1), n: i } }));
  dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
  return datagrid;
}

/** Every operation that writes rows. Each returns the ids of the rows that it wrote. */
const WRITES: Readonly<Record<string, (api: ApiClient, grid: string) => Promise<number[]>>> = {
  'create one': async (api, grid) => {
    return [dataOf(await api.post(`${grid}/rows`, { values: values() }), 201).id];
  },
  'create one with an idempotency key': async (api, grid) => {
    const key = { 'idempotency-key': `k${String((serial += 1))}` };
    return [dataOf(await api.post(`${grid}/rows`, { values: values() }, key), 201).id];
  },
  'create many': async (api, grid) => {
    const rows = [{ values: values() }, { values: values() }];
    return idsOf(dataOf(await api.post(`${grid}/rows`, { rows }), 201));
  },
  merge: async (api, grid) => {
    return [dataOf(await api.patch(`${grid}/rows/1`, { values: { n: (serial += 1) } }), 200).id];
  },
  replace: async (api, grid) => {
    return [dataOf(await api.put(`${grid}/rows/2`, { values: values() }), 200).id];
  },
  batch: async (api, grid) => {
    const operations = [
      { op: 'create', values: values() },
      { op: 'update', id: 3, values: { n: (serial += 1) } },
    ];
    const response = await api.post(`${grid}/rows/batch`, { mode: 'atomic', operations });
    return idsOf(dataOf(response, 200).results);
  },
  'batch of creates': async (api, grid) => {
    const operations = [{ op: 'create', values: values() }];
    const response = await api.post(`${grid}/rows/batch`, { mode: 'atomic', operations });
    return idsOf(dataOf(response, 200).results);
  },
  upsert: async (api, grid) => {
    const rows = [{ values: values() }, { values: { sku: '4', n: (serial += 1) } }];
    const response = await api.put(`${grid}/rows`, { matchOn: ['sku'], rows });
    return idsOf(dataOf(response, 200).results);
  },
  import: async (api, grid) => {
    const sku = `i${String((serial += 1))}`;
    await completed(api, await importCsv(api, grid, `sku,n\n${sku},1\n`));
    return idsOf(dataOf(await api.get(`${grid}/rows?filter={"sku":"${sku}"}`), 200));
  },
  'import by matching': async (api, grid) => {
    const lines = `sku,n\n5,${String((serial += 1))}\n`;
    await completed(api, await importCsv(api, grid, lines, '?mode=upsert&matchOn=sku'));
    return [5];
  },
};
const NAMES = Object.keys(WRITES);

const idsOf = (items: readonly { readonly id: number }[]): number[] => items.map(({ id }) => id);

async function allRows(datagrid: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page += 1) {
    const path = `${datagrid}/rows?limit=200&page=${String(page)}`;
    const { data } = (await owner.api.get(path)).body;
    if (data.length === 0) return rows;
    rows.push(...data);
  }
}

async function timesOf(datagrid: string, ids: readonly number[]): Promise<string[]> {
  expect(ids.length).toBeGreaterThan(0);
  const rows = await allRows(datagrid);
  return rows.filter(({ id }) => ids.includes(id)).map(({ updatedAt }) => updatedAt);
}

async function write(name: string, api: ApiClient, datagrid: string): Promise<number[]> {
  return (await WRITES[name]?.(api, datagrid)) ?? [];
}

/** Starts a write while the datagrid's lock is held, and releases the lock once the write waits. */
async function underLock(
  app: TestApp,
  datagrid: string,
  begin: () => Promise<number[]>,
): Promise<[{ ids: Promise<number[]> }, string]> {
  const locker = await app.sql.connect();
  try {
    await locker.query('BEGIN');
    await locker.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
      datagrid.split('/').pop(),
    ]);
    const ids = begin();
    await eventually(async () => (await waitingForLocks(app)) > 0);
    const { rows } = await locker.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    return [{ ids }, rows[0]?.at.toISOString() ?? ''];
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
}

it.each(NAMES)('updatedAt is later than the wait for the lock: %s', async (name) => {
  const datagrid = await newSheet();
  const [app] = replicas;
  const [written, releasedAt] = await underLock(app, datagrid, () =>
    write(name, owner.api, datagrid),
  );
  for (const at of await timesOf(datagrid, await written.ids)) {
    expect(at >= releasedAt ? 'after' : `${at} is before ${releasedAt}`).toBe('after');
  }
});

it.each(NAMES)(
  'updatedAt is never earlier than that of a previous write, whatever the clock says: %s',
  async (name) => {
    const datagrid = await newSheet();
    const [{ sql }] = replicas;
    // Simulates a clock that was set back, or a failover to a server whose clock is slow.
    const ahead = new Date(Date.now() + HOUR_MS);
    await sql.query('UPDATE datagrid_counters SET last_written_at = $2 WHERE datagrid_id = $1', [
      datagrid.split('/').pop(),
      ahead,
    ]);
    const ids = await write(name, owner.api, datagrid);
    const times = await timesOf(datagrid, ids);
    expect(times).toEqual(ids.map(() => ahead.toISOString()));
  },
);

it('updatedAt never decreases while the revision rises, for 16 writers over two instances', async () => {
  const ROUNDS = 10;
  const datagrid = await newSheet();
  const seen: Json[] = [];
  const look = async (api: ApiClient, ids: readonly number[]): Promise<void> => {
    for (const id of ids.slice(0, 1))
      seen.push(dataOf(await api.get(`${datagrid}/rows/${id}`), 200));
  };
  await Promise.all(
    Array.from({ length: 16 }, async (_, client) => {
      const api = replicas[client % 2 ? 1 : 0].api(owner.key);
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = NAMES[(client + round) % NAMES.length] ?? '';
        await look(api, await write(name, api, datagrid));
      }
    }),
  );
  const rows = [...seen, ...(await allRows(datagrid))];
  expect(rows.length).toBeGreaterThan(16 * ROUNDS);
  rows.sort((a, b) => a.revision - b.revision || (a.updatedAt < b.updatedAt ? -1 : 1));
  const back = rows.filter((row, index) => row.updatedAt < (rows[index - 1]?.updatedAt ?? ''));
  expect(back).toEqual([]);
  expect(rows.filter(({ createdAt, updatedAt }) => updatedAt < createdAt)).toEqual([]);
});
