import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, sized, startArena } from './support/arena';

const ROWS = sized(24, 2);
const ROW_CHARACTERS = 1_000_000;
const NEEDLE_CHARACTERS = 900;
const CLIENTS = sized(24, 8);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

/** Search texts. The longest accepted one takes the longest to rule out. */
const needles = [NEEDLE_CHARACTERS, 200, 100, 50].map((length) => `b${'a'.repeat(length - 1)}`);

it('serves another account while one account searches rows of 1 MB repeatedly', async () => {
  let path = '';
  await arena.run('searches in large rows', {
    forMs: 15_000,
    maxStatements: 1,
    held: () => ['baaaaaaa'],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }]);
      for (let n = 0; n < ROWS; n += 1) {
        const row = { values: { text: 'a'.repeat(ROW_CHARACTERS) } };
        dataOf(await api(0).post(`${path}/rows`, row), 201);
      }
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) => {
        const q = needles[(client + turn) % needles.length] ?? '';
        return attacker.attack(client % 2).get(`${path}/rows?q=${q}`);
      }),
  });
});
