import { randomUUID } from 'node:crypto';
import { newWorkspace } from '../support/fixture';
import { type Arena, hammer, startArena } from './support/arena';

const CLIENTS = 60;
/** Of the ids of all datagrids that the attack asks for. */
const PREFIX = 'ffffffff-ffff-4fff-8fff-';

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while limited keys of one account ask for datagrids that do not exist', async () => {
  let key = '';
  const figures = await arena.run('limited keys and unknown datagrids', {
    forMs: 15_000,
    maxStatements: 2,
    held: () => [PREFIX],
    prepare: async ({ api, newKeys }) => {
      const workspaceId = await newWorkspace(api(0));
      const access = { scopes: null, workspaceIds: [workspaceId], datagridIds: null };
      [key = ''] = await newKeys(1, access);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) =>
        attacker
          .attack(client % 2, key)
          .get(`/datagrids/${PREFIX}${randomUUID().slice(PREFIX.length)}/rows`),
      ),
  });
  expect(figures['status 404']).toBeGreaterThan(0);
});
