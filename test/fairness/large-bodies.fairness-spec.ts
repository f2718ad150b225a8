import { newDatagrid } from '../support/fixture';
import { type Arena, hammer, sized, startArena } from './support/arena';

const EMPTY_ARRAYS = 3_300_000;
const MEMBERS = 700_000;
const CLIENTS = sized(6, 12);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

const members = Array.from({ length: MEMBERS }, (_, n) => `"k${String(n)}":1`).join(',');

/** Bodies of up to 10 MB, each expensive to parse or check for a different reason. */
const bodies = [
  `{"values":[${'[],'.repeat(EMPTY_ARRAYS)}[]]}`,
  `{"values":{${members},"k0":1}}`,
  `{"values":{${members}}}`,
];

it('serves another account while one account sends bodies of 10 MB that are expensive to parse', async () => {
  let path = '';
  await arena.run('bodies of 10 MB', {
    forMs: 15_000,
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'text', type: 'text' }]);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) =>
        attacker.attack(client % 2).post(`${path}/rows`, bodies[(client + turn) % bodies.length]),
      ),
  });
});
