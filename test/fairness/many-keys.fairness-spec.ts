import { type Arena, hammer, startArena } from './support/arena';

const KEYS = 20;
const CLIENTS = 60;
/** Default limit of requests of one account in a minute, on each instance. */
const ACCOUNT_LIMIT = 6_000;

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account sends all requests that its many keys allow', async () => {
  let accountId = '';
  let keys: readonly string[] = [];
  const figures = await arena.run('requests with 20 keys', {
    forMs: 15_000,
    maxStatements: 2,
    held: () => [accountId],
    prepare: async (attacker) => {
      ({ accountId } = attacker);
      keys = await attacker.newKeys(KEYS);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) =>
        attacker.attack(client % 2, keys[(client + turn) % KEYS]).get('/workspaces?limit=200'),
      ),
  });
  expect(figures['status 200']).toBeLessThanOrEqual(ACCOUNT_LIMIT * arena.origins.length);
});
