import { closeConnections, read } from './support/anonymous';
import { type Arena, hammer, startArena } from './support/arena';

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
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
  const isFile = path.startsWith('/docs/');
  const reads = async (client: number): ReturnType<typeof read> => {
    const instance = client % arena.origins.length;
    const response = await read(`${arena.origins[instance] ?? ''}${path}`);
    if (isFile || response.status === 429) limited.add(instance);
    return response;
  };
  const limited = new Set<number>();
  await arena.run(`${String(clients)} anonymous clients read ${name}`, {
    forMs: 8_000,
    // The limit of files is ten times as high.
    hasBegun: () => limited.size === arena.origins.length,
    mayEndFirst: true,
    run: (attacker) => hammer(attacker, clients, reads),
  });
  closeConnections();
});
