import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { SEED, seededRandom } from '../support/seeded-random';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { newOwner } from './support/owner';
import { Replicas } from './support/replicas';

const KILLS = sampleSize({ few: 3, all: 50 });
/** Longest time after a start at which the instance is killed: it loads, catches up or queries then. */
const MAX_PAUSE_MS = 600;
const ROWS = 2_000;
const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
];

jest.setTimeout(60_000 + KILLS * 20_000);

const below = seededRandom(SEED);

let database: TestDatabase;
let directory: string;
/** An instance with columnar copies, which is killed, and one without, whose responses are right. */
let copied: Replicas;
let plain: Replicas;
let key: string;

beforeAll(async () => {
  [database, directory] = await Promise.all([
    createTestDatabase(),
    mkdtemp(join(tmpdir(), 'datagrid-copies-')),
  ]);
  const settings = { DATABASE_URL: database.url };
  const copies = { COLUMNAR_DIR: directory, columnarMinRows: 0, columnarPauseMs: 20 };
  plain = await Replicas.start(1, settings);
  copied = await Replicas.start(1, { ...settings, ...copies });
  ({ key } = await newOwner(database.url));
});

afterAll(async () => {
  await Promise.all([copied.kill(), plain.kill()]);
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

interface Place {
  readonly rows: string;
  readonly sql: string;
}

async function newPlace(api: ApiClient): Promise<Place> {
  const workspaceId = await newWorkspace(api);
  const grid = await newDatagrid(api, COLUMNS, workspaceId, 'Killed');
  for (let at = 0; at < ROWS; at += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      values: { name: `Name ${String((at + n) % 7)}`, n: (at + n) % 100 },
    }));
    dataOf(await api.post(`${grid}/rows`, { rows }), 201);
  }
  return { rows: `${grid}/rows`, sql: `/workspaces/${workspaceId}/sql` };
}

/** Scans of both kinds. Each has the same response with copies and without. */
const scans = ({ rows }: Place): readonly [string, object][] => [
  [`${rows}/query`, { filter: { n: { $lt: 50 } }, sort: '-name,n', limit: 20 }],
  [`${rows}/query`, { q: 'name 3', limit: 5 }],
  [
    `${rows}/aggregate`,
    { groupBy: [{ column: 'name' }], aggregates: [{ function: 'sum', column: 'n' }] },
  ],
];

const SQL = { sql: 'SELECT name, sum(n) AS total FROM killed GROUP BY name ORDER BY name' };

it('An instance that is killed while it loads, updates or reads columnar copies answers correctly afterwards', async () => {
  const oracle = plain.api(0, key);
  const place = await newPlace(oracle);
  let [interrupted, answered] = [0, 0];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const api = copied.api(0, key);
    let isKilled = false;
    const load = async (): Promise<void> => {
      while (!isKilled) {
        for (const [path, body] of [...scans(place), [place.sql, SQL] as const]) {
          const response = await api.post(path, body).catch(() => null);
          if (response?.status === 200) answered += 1;
          else interrupted += 1;
        }
      }
    };
    const write = async (): Promise<void> => {
      while (!isKilled) {
        const row = 1 + below(ROWS);
        dataOf(
          await oracle.patch(`${place.rows}/${String(row)}`, { values: { n: below(100) } }),
          200,
        );
      }
    };
    const work = [load(), load(), write()];
    await delay(below(MAX_PAUSE_MS));
    await copied.get(0).stop('SIGKILL');
    isKilled = true;
    await Promise.all(work);
    await copied.restart(0);
    await expectSame(place, oracle, copied.api(0, key));
  }
  expect(interrupted).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(0);
  // An instance removes the directories of those that were killed.
  expect(await readdir(directory)).toHaveLength(1);
  printFigures('kill -9 of an instance with columnar copies', {
    kills: KILLS,
    interrupted,
    answered,
  });
});

/** Expects the same responses before a load of copies, and after it. */
async function expectSame(place: Place, oracle: ApiClient, api: ApiClient): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const [path, body] of scans(place)) {
      const expected = await oracle.post(path, body);
      expect((await api.post(path, body)).text).toBe(expected.text);
    }
  }
  const body = { groupBy: [{ column: 'name' }], aggregates: [{ function: 'sum', column: 'n' }] };
  const groups = dataOf(await oracle.post(`${place.rows}/aggregate`, body), 200) as readonly {
    readonly group: { readonly name: string };
    readonly values: { readonly sum_n: string };
  }[];
  const expected = groups.map(({ group, values }) => {
    return { name: group.name, total: Number(values.sum_n) };
  });
  await eventually(async () => {
    const response = await api.post(place.sql, SQL);
    // A load may take longer than a request waits.
    if (response.status === 503) return false;
    expect(dataOf(response, 200)).toEqual(expected);
    return true;
  }, 60_000);
}
