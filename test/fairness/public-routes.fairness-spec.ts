import { closeConnections, read } from './support/anonymous';
import { Arena, hammer } from './support/arena';

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
}, 180_000);

afterAll(() => arena.stop());

// The victim sends its requests from the same client address, with keys.
it.each([
  ['the API description', '/api/v1/public/openapi.json', 20],
  ['the script of the docs page', '/docs/swagger-ui-bundle.js', 60],
  ['an unknown route', '/nope', 60],
  ['a console route without a session', '/console/api/session', 60],
  ['an invite that does not exist', `/console/api/invites/${'x'.repeat(43)}`, 60],
  ['the API without a key', '/api/v1/public/me', 60],
])('serves an account while anonymous clients read %s', async (name, path, clients) => {
  const outcome = await arena.run(`${String(clients)} anonymous clients read ${name}`, {
    forMs: 8_000,
    run: (attacker) =>
      hammer(attacker, clients, (client) =>
        read(`${attacker.origins[client % attacker.origins.length] ?? ''}${path}`),
      ),
  });
  closeConnections();
  arena.expectUnaffected(outcome);
});
