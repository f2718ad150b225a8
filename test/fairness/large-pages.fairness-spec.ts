import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const ROWS = sized(207, 39);
const ROW_CHARACTERS = 1_000_000;
/** One request may create at most 16 MiB of rows. */
const ROWS_PER_CALL = 8;
const CLIENTS = sized(16, 12);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account reads pages of rows of 1 MB', async () => {
  let path = '';
  await arena.run('pages of rows of 1 MB', {
    forMs: 15_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [
        { key: 'a', type: 'text', indexed: true },
        { key: 'text', type: 'text' },
      ]);
      const values = { a: 'a', text: 'a'.repeat(ROW_CHARACTERS) };
      for (let n = 0; n < ROWS; n += ROWS_PER_CALL) {
        const rows = Array.from({ length: ROWS_PER_CALL }, () => ({ values }));
        dataOf(await api(0).post(`${path}/rows`, { rows }), 201);
      }
    },
    run: (attacker) => {
      const filter = encodeURIComponent(JSON.stringify({ a: { $startsWith: 'a' } }));
      const queries = [
        'limit=200',
        'limit=31',
        'limit=200&fields=a',
        `limit=1&fields=a&sort=-a&filter=${filter}`,
      ];
      return hammer(attacker, CLIENTS, (client, turn) =>
        attacker.attack(client % 2).get(`${path}/rows?${queries[(client + turn) % 4] ?? ''}`),
      );
    },
  });
});
