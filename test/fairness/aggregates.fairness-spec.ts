import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, idOf, sized, startArena } from './support/arena';

const ROWS = sized(60_000, 500);
const ROWS_PER_REQUEST = 500;
const CLIENTS = sized(24, 10);

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
  { key: 'amount', type: 'decimal' },
];

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account aggregates rows into as many groups', async () => {
  let path = '';
  const aggregates = [
    { function: 'countDistinct', column: 'name' },
    { function: 'sum', column: 'amount' },
    { function: 'max', column: 'n' },
  ];
  const groupBy = [{ column: 'name' }, { column: 'n' }];
  const figures = await arena.run(`aggregates with ${String(ROWS)} groups`, {
    forMs: 15_000,
    // One scan, and two reads of the datagrid before it.
    maxStatements: 3,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), COLUMNS);
      for (let first = 0; first < ROWS; first += ROWS_PER_REQUEST) {
        const rows = Array.from({ length: ROWS_PER_REQUEST }, (_, at) => {
          const n = first + at;
          return { values: { name: `name ${String(n)}`, n, amount: `${String(n)}.25` } };
        });
        dataOf(await api(0).post(`${path}/rows`, { rows }), 201);
      }
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) =>
        attacker.attack(client % 2).post(`${path}/rows/aggregate`, { aggregates, groupBy }),
      ),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});
