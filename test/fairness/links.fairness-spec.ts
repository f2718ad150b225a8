import type { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const CLIENTS = sized(16, 12);
/** Columns of one request, and rows that one of them may add. */
const PATHS = ['a', 'b', 'c', 'd', 'e'];
const LINKED_ROWS = sized(1_000, 200);
const LINKS = 200;
/** Five times the rows have almost 2 MB, the most that a response may have. */
const ROW_CHARACTERS = 200;
const MANY_CLIENTS = sized(100, 12);
/** As text, they have almost 2 MB; as objects of JavaScript, 30 MB. */
const OBJECTS = sized(480_000, 20_000);
/** Linked rows that one condition may match. */
const MATCHED = sized(10_000, 1_000);
const ROW = { $row: { text: { $contains: 'x' } } };
const FILTER = { a: ROW, b: ROW, c: ROW };
/** Lookups of one datagrid, which a page has in a row of 200 links each. */
const LOOKUPS = 40;
/** Counts of one datagrid, and links that each of them counts for one row. */
const COUNTS = 5;
const COUNTED = sized(50_000, 1_000);
/** Links that one deletion may clear. */
const CLEARED = sized(10_000, 1_000);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account reads pages with the most linked rows', async () => {
  let path = '';
  const figures = await arena.run('pages with 5,000 linked rows', {
    forMs: 12_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      const workspace = await newWorkspace(api(0));
      const text = { key: 'text', type: 'text' };
      const targets = await newDatagrid(api(0), [text], workspace);
      const target = { values: { text: 'x'.repeat(ROW_CHARACTERS) } };
      const rows = Array.from({ length: LINKED_ROWS }, () => target);
      dataOf(await api(0).post(`${targets}/rows`, { rows }), 201);
      const options = { datagridId: idOf(targets) };
      const columns = PATHS.map((key) => ({ key, type: 'multiLink', options }));
      path = await newDatagrid(api(0), columns, workspace);
      const sources = Array.from({ length: LINKED_ROWS / LINKS }, (_, n) => {
        const ids = Array.from({ length: LINKS }, (_id, m) => 1 + n * LINKS + m);
        return { values: Object.fromEntries(PATHS.map((key) => [key, ids])) };
      });
      dataOf(await api(0).post(`${path}/rows`, { rows: sources }), 201);
      const page = await api(0).get(`${path}/rows?expand=${PATHS.join()}`);
      expect([page.status, page.text.length > 1_500 * LINKED_ROWS]).toEqual([200, true]);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) =>
        attacker.attack(client % 2).get(`${path}/rows?expand=${PATHS.join()}`),
      ),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});

it('serves another account while one account expands pages with many small values', async () => {
  let path = '';
  const figures = await arena.run(`pages of ${String(OBJECTS)} objects with a linked row`, {
    forMs: 12_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      const workspace = await newWorkspace(api(0));
      const targets = await newDatagrid(api(0), [{ key: 'text', type: 'text' }], workspace);
      // Large, so that requests wait for it in turns.
      const target = { values: { text: 'x'.repeat(20_000) } };
      dataOf(await api(0).post(`${targets}/rows`, target), 201);
      const options = { datagridId: idOf(targets) };
      const link = { key: 'link', type: 'link', options };
      path = await newDatagrid(api(0), [link, { key: 'data', type: 'json' }], workspace);
      const data = Array.from({ length: OBJECTS / 2 }, () => ({}));
      for (let created = 0; created < 2; created += 1) {
        const headers = { prefer: 'return=minimal' };
        dataOf(await api(0).post(`${path}/rows`, { values: { link: 1, data } }, headers), 201);
      }
      const page = await api(0).get(`${path}/rows?expand=link`);
      expect([page.status, page.text.length > 3 * OBJECTS]).toEqual([200, true]);
    },
    run: (attacker) =>
      hammer(attacker, MANY_CLIENTS, (client) =>
        attacker.attack(client % 2).get(`${path}/rows?expand=link`),
      ),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});

it('serves another account while one account reads pages with the most computed values', async () => {
  let path = '';
  const figures = await arena.run('pages with 40 lookups of 1,000 linked rows', {
    forMs: 12_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      const workspace = await newWorkspace(api(0));
      const names = Array.from({ length: LOOKUPS }, (_, n) => `n${String(n)}`);
      const texts = names.map((key) => ({ key, type: 'text' }));
      const targets = await newDatagrid(api(0), texts, workspace);
      const values = Object.fromEntries(names.map((key) => [key, 'x'.repeat(30)]));
      const rows = Array.from({ length: LINKED_ROWS }, () => ({ values }));
      dataOf(await api(0).post(`${targets}/rows`, { rows }), 201);
      const link = { key: 'links', type: 'multiLink', options: { datagridId: idOf(targets) } };
      const lookups = names.map((key) => {
        return { key, type: 'lookup', options: { link: 'links', column: key } };
      });
      path = await newDatagrid(api(0), [link, ...lookups], workspace);
      const sources = Array.from({ length: LINKED_ROWS / LINKS }, (_, n) => {
        const links = Array.from({ length: LINKS }, (_id, m) => 1 + n * LINKS + m);
        return { values: { links } };
      });
      dataOf(await api(0).post(`${path}/rows`, { rows: sources }), 201);
      const page = await api(0).get(`${path}/rows`);
      expect([page.status, page.text.length > 1_200 * LINKED_ROWS]).toEqual([200, true]);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) => attacker.attack(client % 2).get(`${path}/rows`)),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});

it('serves another account while one account counts the most links', async () => {
  let path = '';
  const figures = await arena.run(`five counts of ${String(COUNTED)} links`, {
    forMs: 12_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      const workspace = await newWorkspace(api(0));
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }], workspace);
      dataOf(await api(0).post(`${path}/rows`, { values: {} }), 201);
      const link = { key: 'link', type: 'link', options: { datagridId: idOf(path) } };
      const sources = await newDatagrid(api(0), [link], workspace);
      const rows = Array.from({ length: 1_000 }, () => ({ values: { link: 1 } }));
      for (let created = 0; created < COUNTED; created += rows.length) {
        const headers = { prefer: 'return=minimal' };
        dataOf(await api(0).post(`${sources}/rows`, { rows }, headers), 201);
      }
      const options = { datagridId: idOf(sources), column: 'link' };
      for (let n = 0; n < COUNTS; n += 1) {
        const count = { key: `n${String(n)}`, type: 'count', options };
        dataOf(await api(0).post(`${path}/columns`, count), 201);
      }
      const row = await api(0).get(`${path}/rows/1`);
      expect(dataOf(row, 200).values).toMatchObject({ n0: COUNTED, n4: COUNTED });
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) => attacker.attack(client % 2).get(`${path}/rows/1`)),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});

it('serves another account while one account filters by the most linked rows', async () => {
  let path = '';
  const figures = await arena.run(`filters that match ${String(MATCHED)} linked rows`, {
    forMs: 12_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      const workspace = await newWorkspace(api(0));
      const targets = await newDatagrid(api(0), [{ key: 'text', type: 'text' }], workspace);
      const options = { datagridId: idOf(targets) };
      const columns = ['a', 'b', 'c'].map((key) => ({ key, type: 'link', options }));
      path = await newDatagrid(api(0), columns, workspace);
      const headers = { prefer: 'return=minimal' };
      for (let created = 0; created < MATCHED; created += 1_000) {
        const numbers = Array.from({ length: 1_000 }, (_, n) => created + n + 1);
        const rows = numbers.map(() => ({ values: { text: 'x'.repeat(ROW_CHARACTERS) } }));
        dataOf(await api(0).post(`${targets}/rows`, { rows }, headers), 201);
        const sources = numbers.map((n) => ({ values: { a: n, b: n, c: n } }));
        dataOf(await api(0).post(`${path}/rows`, { rows: sources }, headers), 201);
      }
      const found = await api(0).post(`${path}/rows/query`, { filter: FILTER });
      expect(found.body.meta?.total).toBe(MATCHED);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) =>
        attacker.attack(client % 2).post(`${path}/rows/query`, { filter: FILTER }),
      ),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});

/** Creates a row to which many rows link. @returns its path. */
async function newLinkedRow(api: ApiClient, workspace: string): Promise<string> {
  const targets = await newDatagrid(api, [{ key: 'text', type: 'text' }], workspace);
  dataOf(await api.post(`${targets}/rows`, { values: {} }), 201);
  const options = { datagridId: idOf(targets), onDelete: 'clear' };
  const sources = await newDatagrid(api, [{ key: 'link', type: 'link', options }], workspace);
  const rows = Array.from({ length: 1_000 }, () => ({ values: { link: 1 } }));
  for (let created = 0; created < CLEARED; created += rows.length) {
    const headers = { prefer: 'return=minimal' };
    dataOf(await api.post(`${sources}/rows`, { rows }, headers), 201);
  }
  return `${targets}/rows/1`;
}

it('serves another account while one account deletes rows that many others link to', async () => {
  let workspace = '';
  let path = '';
  const figures = await arena.run(`deletions that clear ${String(CLEARED)} links`, {
    forMs: 15_000,
    held: () => [idOf(path).replace('/rows/1', '')],
    instances: 1,
    prepare: async ({ api }) => {
      workspace = await newWorkspace(api(0));
      path = await newLinkedRow(api(0), workspace);
    },
    run: async (attacker) => {
      const api = attacker.api(0);
      for (let deletions = 1; ; deletions += 1) {
        expect((await api.delete(path)).status).toBe(204);
        if (attacker.signal.aborted) return { deletions };
        path = await newLinkedRow(api, workspace);
      }
    },
  });
  expect(figures['deletions']).toBeGreaterThan(0);
});
