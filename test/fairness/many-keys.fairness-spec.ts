import { Arena, hammer } from './support/arena';

const KEYS = 20;
const CLIENTS = 60;
/** Default limit of requests of one account in a minute, on each instance. */
const ACCOUNT_LIMIT = 6_000;

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
}, 120_000);

afterAll(() => arena.stop());

it('serves another account while one account sends all requests that its many keys allow', async () => {
  const keys: string[] = [];
  const outcome = await arena.run('requests with 20 keys', {
    forMs: 15_000,
    prepare: async ({ newKey }) => {
      while (keys.length < KEYS) keys.push(await newKey());
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) =>
        attacker.attack(client % 2, keys[(client + turn) % KEYS]).get('/workspaces?limit=200'),
      ),
  });
  arena.expectUnaffected(outcome);
  expect(outcome.figures['status 200']).toBeLessThanOrEqual(ACCOUNT_LIMIT * arena.instances);
  // Each key is made by a process of its own.
}, 240_000);
