import { randomUUID } from 'node:crypto';
import { newWorkspace } from '../support/fixture';
import { Arena, hammer } from './support/arena';

const CLIENTS = 60;

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while limited keys of one account ask for datagrids that do not exist', async () => {
  let key = '';
  const outcome = await arena.run('limited keys and unknown datagrids', {
    forMs: 15_000,
    prepare: async ({ api, newKey }) => {
      const workspaceId = await newWorkspace(api(0));
      key = await newKey({ scopes: null, workspaceIds: [workspaceId], datagridIds: null });
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client) =>
        attacker.attack(client % 2, key).get(`/datagrids/${randomUUID()}/rows`),
      ),
  });
  expect(outcome.figures['status 404']).toBeGreaterThan(0);
  arena.expectUnaffected(outcome);
});
