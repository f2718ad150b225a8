import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, startArena } from './support/arena';

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

const ROW_CHARACTERS = 1_040_000;
const NEEDLE_CHARACTERS = 10_000;

it('serves another account while one account searches large rows for texts that take long to rule out', async () => {
  let path = '';
  const needle = `b${'a'.repeat(NEEDLE_CHARACTERS)}`;
  const figures = await arena.run('searches for long texts in rows of 1 MB', {
    forMs: 15_000,
    mayEndFirst: true,
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }]);
      const row = { values: { text: 'a'.repeat(ROW_CHARACTERS) } };
      dataOf(await api(0).post(`${path}/rows`, row), 201);
    },
    run: (attacker) =>
      hammer(attacker, 32, (client) => {
        const filter = { text: { $contains: needle } };
        return attacker.attack(client % 2).post(`${path}/rows/delete`, { filter, dryRun: true });
      }),
  });
  expect(Object.keys(figures)).toEqual(expect.arrayContaining(['status 400']));
  expect(figures['status 200']).toBeUndefined();
});
