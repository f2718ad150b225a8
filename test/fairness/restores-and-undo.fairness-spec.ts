import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const ROWS = sized(20_000, 2_000);
const ROWS_PER_CALL = 1_000;
const CLIENTS = sized(24, 12);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account deletes, restores and undoes rows and previews conversions', async () => {
  let path = '';
  const ids = Array.from({ length: ROWS_PER_CALL }, (_, at) => at + 1);
  const figures = await arena.run('restores, undo and previews', {
    forMs: 15_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text', unique: true }]);
      for (let first = 0; first < ROWS; first += ROWS_PER_CALL) {
        const rows = Array.from({ length: ROWS_PER_CALL }, (_, at) => {
          return { values: { text: `${String(first + at)} ${'a'.repeat(200)}` } };
        });
        dataOf(await api(0).post(`${path}/rows`, { rows }), 201);
      }
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) => {
        const api = attacker.attack(client % 2);
        const work = client % 4;
        if (work === 0) return api.post(`${path}/rows/delete`, { filter: {} });
        if (work === 1) return api.post(`${path}/trash/rows/restore`, { ids });
        if (work === 2)
          return api.post(`${path}/rows/undo`, {
            revision: ROWS / ROWS_PER_CALL + 1,
            skipConflicts: true,
          });
        const change = { type: 'integer', convert: true };
        return api.post(`${path}/columns/text/preview`, change);
      }),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});
