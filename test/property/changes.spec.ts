import * as fc from 'fast-check';
import { FileBody, type ApiClient, type ApiResponse } from '../support/api-client';
import {
  ChangeReader,
  copyState,
  datagridState,
  follow,
  type ReadForm,
  type ReadSession,
} from '../support/change-reader';
import { newDatagrid, newTeam, type Team } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { TestApp } from '../support/test-app';
import { problemsOf } from '../support/verify';

const RUNS = sampleSize({ few: 20, all: 50 });

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
  { key: 'note', type: 'text' },
];

const MEMBERS = ['owner', 'admin', 'editor'] as const;
type Member = (typeof MEMBERS)[number];

/** A write by one user through one of the two instances. */
interface Write {
  readonly kind: string;
  readonly by: Member;
  readonly instance: number;
  /** @param all Clients of all users. */
  readonly run: (api: ApiClient, datagrid: string, all: readonly ApiClient[]) => Answer;
}

/** The last response of a write. */
type Answer = Promise<ApiResponse>;

type Session = Omit<ReadSession, 'origin' | 'end'> & {
  readonly instance: number;
  /** Whether the reader forgets what it has, and begins with the rows as they are by now. */
  readonly isNew: boolean;
};

const few = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const n = fc.integer({ min: 0, max: 5 });
const sku = few('a', 'b', 'c', 'd', 'e', 'f', 'g', null);
// PostgreSQL compresses the longer ones. Rows with these are read one after another.
const note = few('x', 'short', 'y'.repeat(3_000), 'z'.repeat(30_000), null);
const values = fc.record({ sku, n, note }, { requiredKeys: [] });
const id = fc.integer({ min: 1, max: 25 });
const operation = fc.oneof(
  fc.record({ op: few('create'), values }),
  fc.record({ op: few('update', 'replace'), id, values }),
  fc.record({ op: few('delete'), id }),
  fc.record({ op: few('upsert'), matchOn: few(['sku']), values }),
);
const manyValues = (maxLength: number): fc.Arbitrary<object[]> =>
  fc.array(values, { minLength: 1, maxLength });
const linesOf = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const csvOf = (rows: readonly { sku?: string | null; n?: number }[]): string =>
  ['sku,n', ...rows.map((row) => `${row.sku ?? ''},${String(row.n ?? '')}`)].join('\n');

const by = few<Member>(...MEMBERS);
const instance = few(0, 1);
const write = <T>(
  kind: string,
  given: fc.Arbitrary<T>,
  run: (api: ApiClient, datagrid: string, value: T, all: readonly ApiClient[]) => Answer,
  members: fc.Arbitrary<Member> = by,
): fc.Arbitrary<Write> =>
  fc.tuple(given, members, instance).map(([value, member, at]) => ({
    kind,
    by: member,
    instance: at,
    run: (api, datagrid, all) => run(api, datagrid, value, all),
  }));

const rowWrites = [
  write('create', values, (api, path, row) => api.post(`${path}/rows`, { values: row })),
  // Rows that wait for the same lock are inserted together, and have an entry for each user.
  write('create beside', fc.integer({ min: 3, max: 12 }), async (api, path, count, all) => {
    const created = Array.from({ length: count }, (_, index) =>
      (all[index % all.length] ?? api).post(`${path}/rows`, { values: { n: index } }),
    );
    return (await Promise.all(created))[0] ?? api.get(path);
  }),
  write('create many', manyValues(30), (api, path, rows) =>
    api.post(`${path}/rows`, { rows: rows.map((row) => ({ values: { ...row, sku: null } })) }),
  ),
  write('merge', fc.tuple(id, values), (api, path, [row, change]) =>
    api.patch(`${path}/rows/${String(row)}`, { values: change }),
  ),
  write('replace', fc.tuple(id, values), (api, path, [row, change]) =>
    api.put(`${path}/rows/${String(row)}`, { values: change }),
  ),
  write('delete', id, (api, path, row) => api.delete(`${path}/rows/${String(row)}`)),
  write(
    'batch',
    fc.record({
      mode: few('partial', 'partial', 'atomic'),
      operations: fc.array(operation, { minLength: 1, maxLength: 12 }),
    }),
    (api, path, batch) => api.post(`${path}/rows/batch`, batch),
  ),
  write('upsert', manyValues(10), (api, path, rows) =>
    api.put(`${path}/rows`, { matchOn: ['sku'], rows: rows.map((row) => ({ values: row })) }),
  ),
  write('delete many', n, (api, path, value) =>
    api.post(`${path}/rows/delete`, { filter: { n: value } }),
  ),
  write('import lines', manyValues(40), (api, path, rows) =>
    api.post(`${path}/rows/import`, new FileBody('application/x-ndjson', linesOf(rows))),
  ),
  write('import upsert', manyValues(20), (api, path, rows) =>
    api.post(
      `${path}/rows/import?mode=upsert&matchOn=sku`,
      new FileBody('text/csv', csvOf(rows as { sku?: string | null; n?: number }[])),
    ),
  ),
];

const owner = few<Member>('owner');
const columnWrites = [
  write(
    'add column',
    few('note', 'extra'),
    (api, path, key) => api.post(`${path}/columns`, { key, type: 'text' }),
    owner,
  ),
  write(
    'title',
    fc.integer({ min: 0, max: 9 }),
    (api, path, title) => api.patch(`${path}/columns/n`, { title: `Title ${String(title)}` }),
    owner,
  ),
  write(
    'remove column',
    few('note', 'extra'),
    (api, path, key) => api.delete(`${path}/columns/${key}`),
    owner,
  ),
  write(
    'rename column',
    fc.tuple(few('note', 'extra', 'other'), few('note', 'extra', 'other'), few(true, false)),
    async (api, path, [key, newKey, releases]) => {
      const renamed = await api.patch(`${path}/columns/${key}`, { key: newKey });
      if (renamed.status !== 200 || !releases) return renamed;
      return api.patch(`${path}/columns/${newKey}`, { releaseKeys: [key] });
    },
    owner,
  ),
  write(
    'restore column',
    few(undefined, 'note', 'other'),
    async (api, path, key) => {
      const listed = await api.get(`${path}/trash/columns`);
      const [newest] = (listed.body.data ?? []) as { id: number }[];
      return newest
        ? api.post(`${path}/trash/columns/restore`, { id: newest.id, ...(key && { key }) })
        : listed;
    },
    owner,
  ),
  // A column with the key of a removed one, at once a row with a value in it, and another change.
  write(
    'renew column',
    fc.tuple(id, note),
    async (api, path, [row, value]) => {
      await api.delete(`${path}/columns/note`);
      await api.post(`${path}/columns`, { key: 'note', type: 'text' });
      await api.patch(`${path}/rows/${String(row)}`, { values: { note: value } });
      return api.patch(`${path}/columns/n`, { title: `Renewed ${String(row)}` });
    },
    owner,
  ),
];
const trash = write(
  'trash',
  fc.constant(null),
  async (api, path) => {
    await api.delete(path);
    return api.post(`/trash/${path.split('/')[2] ?? ''}/restore`);
  },
  owner,
);

const anyWrite = fc.oneof(
  ...rowWrites.map((arbitrary) => ({ weight: 5, arbitrary })),
  ...columnWrites.map((arbitrary) => ({ weight: 4, arbitrary })),
  { weight: 1, arbitrary: trash },
);
const session: fc.Arbitrary<Session> = fc.record({
  instance,
  isNew: few(true, false, false, false),
  form: few<ReadForm>('pages', 'pages', 'waits', 'lines', 'events'),
  limit: few(1, 2, 3, 7, 20, 1_000),
  pages: fc.integer({ min: 1, max: 6 }),
});
/** Writers that run beside each other, each with its writes, and readers with their sessions. */
const run = fc.record({
  writers: fc.array(fc.array(anyWrite, { minLength: 3, maxLength: 12 }), {
    minLength: 2,
    maxLength: 4,
  }),
  readers: fc.array(fc.array(session, { minLength: 1, maxLength: 5 }), {
    minLength: 3,
    maxLength: 5,
  }),
});

let apps: readonly [TestApp, TestApp];
let team: Team;
const figures = { writes: 0, pages: 0, items: 0, readers: 0 };
const kinds = new Map<string, number>();

beforeAll(async () => {
  const app = await TestApp.shared();
  // On this instance, a page of large rows ends after a few of them.
  const settings = { MAX_PAGE_BYTES: '40000' };
  apps = [app, await TestApp.start({ database: app.database, settings })];
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(apps[0])).toEqual([]);
  const parts = [...Object.entries(figures), ...kinds].map(
    ([name, count]) => `${name} ${String(count)}`,
  );
  process.stdout.write(`readers of changes · ${parts.join(' · ')}\n`);
  await apps[1].close();
  await apps[0].close();
});

const appAt = (index: number): TestApp => apps[index % 2] ?? apps[0];

async function writeAll(datagrid: string, writes: readonly Write[]): Promise<void> {
  for (const { kind, by: member, instance: at, run: send } of writes) {
    const all = MEMBERS.map((name) => appAt(at).api(team[name].key));
    const response = await send(appAt(at).api(team[member].key), datagrid, all);
    // 404 while the datagrid is in the trash, and conflicts with other writers.
    if (response.status >= 500) throw new Error(`${kind}: ${response.text}`);
    if (response.status >= 300) continue;
    figures.writes += 1;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
}

function cyclic<T>(values: readonly T[], turn: number): T {
  const value = values[turn % values.length];
  if (value === undefined) throw new Error('There are no values.');
  return value;
}

describe('readers of changes', () => {
  it('have the rows and columns of the datagrid after any writes, wherever they stop and continue', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ writers, readers }) => {
        const datagrid = await newDatagrid(team.owner.api, COLUMNS);
        const created = [1, 2, 3, 4, 5].map((value) => ({ values: { n: value } }));
        await team.owner.api.post(`${datagrid}/rows`, { rows: created });
        const end = new AbortController();
        const followers = readers.map(() => new ChangeReader(team.viewer.key, datagrid));
        const reading = Promise.all(
          followers.map((reader, index) => {
            const sessions = readers[index] ?? [];
            let turn = index;
            const next = (): ReadSession => {
              const { instance: at, isNew, ...rest } = cyclic(sessions, (turn += 1));
              if (isNew) reader.startOver();
              return { ...rest, origin: appAt(at).origin, end: end.signal };
            };
            return follow(reader, { next, end: end.signal });
          }),
        );
        await Promise.all(writers.map((writes) => writeAll(datagrid, writes))).finally(() => {
          end.abort();
        });
        const followed = await reading;
        expect(followed.filter(({ startedOver }) => startedOver > 0)).toEqual([]);
        const state = await datagridState(team.owner.api, datagrid);
        for (const [index, reader] of followers.entries()) {
          await reader.catchUp(appAt(index).origin, 1 + index * 7);
          expect(copyState(reader)).toEqual(state);
          figures.readers += 1;
          figures.pages += reader.pages;
          figures.items += reader.items;
        }
      }),
      // Smaller runs would not show what depends on the timing of others.
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 240_000);
});
