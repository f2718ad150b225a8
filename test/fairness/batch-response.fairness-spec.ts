import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const ROW_CHARACTERS = 1_000_000;
const UPDATES = 450;
const CLIENTS = sized(4, 8);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account sends batches whose results would be 450 times a row of 1 MB', async () => {
  let path = '';
  await arena.run('batches of updates that change nothing', {
    forMs: 15_000,
    maxStatements: 2,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }]);
      const row = { values: { text: 'a'.repeat(ROW_CHARACTERS) } };
      dataOf(await api(0).post(`${path}/rows`, row), 201);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) => {
        const operations = Array.from({ length: UPDATES }, () => {
          return { op: 'update', id: 1, values: {} };
        });
        return attacker
          .attack(client % 2)
          .post(`${path}/rows/batch`, { mode: 'atomic', operations });
      }),
  });
});
