import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const DATAGRIDS = sized(8, 2);
const CLIENTS = 16;
const COLUMNS = 498;
const ROW_CHARACTERS = 1_000_000;

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

/** All of the 500 columns that a datagrid may have, except for the two that are written. */
const columns = Array.from({ length: COLUMNS }, (_, n) => {
  return { key: `c${String(n)}`, type: n % 2 === 0 ? 'text' : 'integer', indexed: true };
});

it('serves another account while one account updates rows of 1 MB with 498 indexed columns', async () => {
  const paths: string[] = [];
  await arena.run('updates of large rows with many indexed columns', {
    forMs: 15_000,
    maxStatements: 2,
    held: () => paths.map((path) => idOf(path).replace('/rows/1', '')),
    prepare: async ({ api }) => {
      for (let n = 0; n < DATAGRIDS; n += 1) {
        const path = await newDatagrid(api(0), [
          ...columns,
          { key: 'large', type: 'text' },
          { key: 'u', type: 'text' },
        ]);
        const row = { values: { large: 'a'.repeat(ROW_CHARACTERS) } };
        dataOf(await api(0).post(`${path}/rows`, row), 201);
        paths.push(`${path}/rows/1`);
      }
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) => {
        const path = paths[client % DATAGRIDS] ?? '';
        return attacker.attack(client % 2).patch(path, { values: { u: String(turn) } });
      }),
  });
});
