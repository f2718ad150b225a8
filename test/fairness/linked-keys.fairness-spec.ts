import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { FileBody } from '../support/api-client';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const CLIENTS = sized(12, 16);
/** Link columns that one import may name, and links that each may have in a row. */
const COLUMNS = ['a', 'b', 'c', 'd', 'e'];
const LINKS = 200;
const LINES = sized(2_000, 2);
const FIRST_KEY = 987_654_000;
const TARGETS = sized(10_000, 1_000);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it.each([
  ['match', 0],
  ['match no row', TARGETS],
])('serves another account while one account imports the most keys that %s', async (name, from) => {
  let path = '';
  let file = new FileBody('application/x-ndjson', '');
  const figures = await arena.run(`imports with many keys that ${name}`, {
    forMs: 12_000,
    // A key, which an import sends once it has its permit: half of `MAX_CONCURRENT_IMPORTS`.
    held: () => [String(FIRST_KEY + from)],
    maxStatements: 2,
    prepare: async ({ api }) => {
      const workspace = await newWorkspace(api(0));
      const key = { key: 'n', type: 'integer', unique: true };
      const targets = await newDatagrid(api(0), [key], workspace);
      const headers = { prefer: 'return=minimal' };
      for (let created = 0; created < TARGETS; created += 1_000) {
        const rows = Array.from({ length: 1_000 }, (_, n) => ({
          values: { n: FIRST_KEY + created + n },
        }));
        dataOf(await api(0).post(`${targets}/rows`, { rows }, headers), 201);
      }
      const options = { datagridId: idOf(targets) };
      const columns = COLUMNS.map((each) => ({ key: each, type: 'multiLink', options }));
      path = await newDatagrid(api(0), columns, workspace);
      const lines = Array.from({ length: LINES }, (_, line) => {
        const keys = Array.from({ length: LINKS }, (_key, n) => {
          return FIRST_KEY + from + ((line * LINKS + n) % TARGETS);
        });
        return JSON.stringify(Object.fromEntries(COLUMNS.map((each) => [each, keys])));
      });
      file = new FileBody('application/x-ndjson', lines.join('\n'));
    },
    run: (attacker) => {
      const linkKeys = COLUMNS.map((each) => `${each}.n`).join();
      const url = `${path}/rows/import?onError=skip&linkKeys=${linkKeys}`;
      return hammer(attacker, CLIENTS, (client) => attacker.attack(client % 2).post(url, file));
    },
  });
  const { 'status 201': ended = 0, 'status 202': running = 0 } = figures;
  expect(ended + running).toBeGreaterThan(0);
});
