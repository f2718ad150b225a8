import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const ROWS = sized(20_000, 1_000);
const ROWS_PER_CALL = 1_000;
const CONDITIONS = 60;
const DELETERS = 4;
const WRITERS = 40;

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while writes of one account wait for the lock of a datagrid', async () => {
  let path = '';
  await arena.run('a queue for the lock of one datagrid', {
    forMs: 15_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }]);
      for (let n = 0; n < ROWS; n += ROWS_PER_CALL) {
        const rows = Array.from({ length: ROWS_PER_CALL }, () => {
          return { values: { text: 'a'.repeat(500) } };
        });
        dataOf(await api(0).post(`${path}/rows`, { rows }), 201);
      }
    },
    run: (attacker) =>
      hammer(attacker, DELETERS + WRITERS, (client) => {
        const api = attacker.attack(client % 2);
        if (client < DELETERS) {
          const filter = {
            $and: Array.from({ length: CONDITIONS }, (_, n) => {
              return { text: { $ne: `b${String(n)}` } };
            }),
            text: { $contains: 'b' },
          };
          return api.post(`${path}/rows/delete`, { filter, dryRun: client % 2 === 0 });
        }
        const operations = [{ op: 'update', id: client, values: { text: 'c' } }];
        return api.post(`${path}/rows/batch`, { mode: 'atomic', operations });
      }),
  });
});
