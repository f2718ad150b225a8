import { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, IS_MEASURED, sized, startArena } from './support/arena';

const DATAGRIDS = sized(10, 2);
const COLUMNS = 20;
const ROWS = sized(1_000, 600);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena({ automaticIndexMinRows: 500 });
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account filters by many columns of many datagrids to cause indexes', async () => {
  const paths: string[] = [];
  const keys = Array.from({ length: COLUMNS }, (_, n) => `c${String(n)}`);
  let built = 0;
  await arena.run('filters by many columns without an index', {
    forMs: 15_000,
    // One scan, and two reads of the datagrid before it.
    maxStatements: 3,
    held: () => paths.map(idOf),
    prepare: async ({ api }) => {
      for (let n = 0; n < DATAGRIDS; n += 1) {
        const path = await newDatagrid(
          api(0),
          keys.map((key) => ({ key, type: 'integer' })),
        );
        const rows = Array.from({ length: ROWS }, (_, row) => ({
          values: Object.fromEntries(keys.map((key) => [key, row])),
        }));
        dataOf(await api(0).post(`${path}/rows`, { rows }), 201);
        paths.push(path);
      }
    },
    run: async (attacker) => {
      const sent = await hammer(attacker, 16, (client, turn) => {
        const path = paths[turn % DATAGRIDS] ?? '';
        const key = keys[(client + turn) % COLUMNS] ?? '';
        return attacker.attack(client % 2).post(`${path}/rows/query`, { filter: { [key]: turn } });
      });
      // `test/e2e/indexes/automatic.e2e-spec.ts` proves the maximum on fewer columns.
      if (!IS_MEASURED) return sent;
      // The attack has used up the rate limit of its own key.
      const api = new ApiClient(attacker.origins[0] ?? '', (await attacker.newKeys(1))[0]);
      for (const path of paths) {
        const { columns } = dataOf(await api.get(path), 200) as {
          columns: { automaticIndex?: boolean }[];
        };
        built += columns.filter(({ automaticIndex }) => automaticIndex === true).length;
      }
      return sent;
    },
  });
  expect(built).toBeGreaterThanOrEqual(IS_MEASURED ? 1 : 0);
  expect(built).toBeLessThanOrEqual(20);
});
