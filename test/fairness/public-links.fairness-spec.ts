import { dataOf, newDatagrid, newView } from '../support/fixture';
import { closeConnections, read } from './support/anonymous';
import { type Arena, hammer, sized, startArena } from './support/arena';

const ROWS = sized(12, 2);
const ROW_CHARACTERS = 1_000_000;
const LINKS = 6;
const CLIENTS = 40;

let arena: Arena;

beforeAll(async () => {
  // Every request of an attack has its own client address, so that the limit of an address does not end it.
  arena = await startArena({ TRUSTED_PROXIES: '127.0.0.1' });
}, 120_000);

afterAll(async () => {
  closeConnections();
  await arena.stop();
});

const address = (client: number): string => `203.0.113.${String(client)}`;

it('serves another account while strangers read public links of views that filter rows of 1 MB', async () => {
  let paths: string[] = [];
  const figures = await arena.run('strangers read public links', {
    forMs: 15_000,
    maxStatements: 1,
    held: () => Array.from({ length: LINKS }, (_, n) => `b${String(n)}aaaaaaaa`),
    prepare: async ({ api }) => {
      const columns = ['text', 'hidden'].map((key) => ({ key, type: 'text' }));
      const grid = await newDatagrid(api(0), columns);
      for (let n = 0; n < ROWS; n += 1) {
        const values = { text: String(n), hidden: 'a'.repeat(ROW_CHARACTERS) };
        dataOf(await api(0).post(`${grid}/rows`, { values }), 201);
      }
      paths = await Promise.all(
        Array.from({ length: LINKS }, async (_, n) => {
          const filter = { hidden: { $contains: `b${String(n)}${'a'.repeat(200)}` } };
          const layout = [{ key: 'hidden', hidden: true }];
          const view = await newView(api(0), grid, { filter, columns: layout });
          const link = await api(0).post(`${grid}/views/${view}/link`, {});
          return `${new URL((dataOf(link, 201) as { url: string }).url).pathname}/rows`;
        }),
      );
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) =>
        read(`${attacker.origins[client % 2] ?? ''}${paths[client % LINKS] ?? ''}`, {
          'x-forwarded-for': address(client),
        }),
      ),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});
