import { dataOf, newWorkspace } from '../support/fixture';
import { type Arena, hammer, sized, startArena } from './support/arena';

const COLUMNS = sized(300, 16);
const CHOICES = 1_000;
const CHOICE_CHARACTERS = 190;
const CLIENTS = 12;

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

/** Long choices, all different. */
const choices = Array.from({ length: CHOICES }, (_, n) =>
  `${String(n)} `.padEnd(CHOICE_CHARACTERS, 'x'),
);

it('serves another account while one account reads a datagrid with as much column metadata as it can store', async () => {
  let path = '';
  let workspace = '';
  await arena.run('datagrids of much column metadata', {
    forMs: 15_000,
    // The text of a read without a maximum length.
    held: () => [String(Number.MAX_SAFE_INTEGER)],
    maxStatements: 1,
    prepare: async ({ api }) => {
      workspace = await newWorkspace(api(0));
      const created = await api(0).post(`/workspaces/${workspace}/datagrids`, { name: 'Wide' });
      path = `/datagrids/${dataOf(created, 201).id}`;
      // Adds columns until no more are accepted.
      for (let n = 0; n < COLUMNS; n += 1) {
        const column = { key: `c${String(n)}`, type: 'select', options: { choices } };
        if ((await api(0).post(`${path}/columns`, column)).status !== 201) break;
      }
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) => {
        const api = attacker.attack(client % 2);
        return turn % 2 === 0 ? api.get(path) : api.get(`/workspaces/${workspace}/datagrids`);
      }),
  });
});
