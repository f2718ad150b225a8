import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, sized, startArena } from './support/arena';

const ROWS = sized(5, 1);
const ROW_CHARACTERS = 1_040_000;
/** Maximum of a query: 20 search texts of 256 characters. */
const CONDITIONS = 20;
const CLIENTS = sized(32, 8);
const MAX_NEEDLE_CHARACTERS = 256;

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account sends the most expensive queries that are allowed', async () => {
  let path = '';
  const conditions = Array.from({ length: CONDITIONS }, (_, n) => {
    const end = 'a'.repeat(MAX_NEEDLE_CHARACTERS - 4);
    return { text: { $contains: `b${String(n).padStart(3, '0')}${end}` } };
  });
  const filter = { $or: conditions };
  await arena.run('20 searches in each query', {
    forMs: 15_000,
    maxStatements: 1,
    held: () => ['b000aaaa'],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }]);
      for (let row = 0; row < ROWS; row += 1) {
        const values = { text: 'a'.repeat(ROW_CHARACTERS) };
        dataOf(await api(0).post(`${path}/rows`, { values }), 201);
      }
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, async (client, turn) => {
        const api = attacker.attack(client % 2);
        return turn % 2 === 0
          ? api.post(`${path}/rows/delete`, { filter, dryRun: true })
          : api.post(`${path}/rows/query`, { filter });
      }),
  });
});
