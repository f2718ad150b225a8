import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { AttackClient } from './support/attack-client';
import { type Arena, type Attacker, hammer, idOf, sized, startArena } from './support/arena';

const CLIENTS = sized(60, 12);
/** As text, two rows have almost 2 MB; as objects of JavaScript, 30 MB. */
const OBJECTS = sized(240_000, 20_000);
const COLUMNS = 500;
const DATAGRIDS = sized(10, 2);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

/** Calls a tool of the MCP server with each of many clients. */
function hammerTool(attacker: Attacker, name: string, args: object): ReturnType<typeof hammer> {
  const clients = attacker.origins.map((url) => new AttackClient(url, attacker.key, '/mcp'));
  const params = { name, arguments: args };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const headers = { accept: 'application/json, text/event-stream' };
  return hammer(attacker, CLIENTS, (client) => {
    const sender = clients[client % clients.length];
    if (!sender) throw new Error('There are no instances.');
    return sender.post('', message, headers);
  });
}

it('serves another account while one account queries the largest pages by MCP', async () => {
  let path = '';
  const figures = await arena.run(`MCP: pages of ${String(2 * OBJECTS)} objects`, {
    forMs: 10_000,
    held: () => [idOf(path)],
    prepare: async ({ api }) => {
      path = await newDatagrid(api(0), [{ key: 'data', type: 'json' }]);
      const data = Array.from({ length: OBJECTS }, () => ({}));
      for (let created = 0; created < 2; created += 1) {
        const headers = { prefer: 'return=minimal' };
        dataOf(await api(0).post(`${path}/rows`, { values: { data } }, headers), 201);
      }
      const page = await api(0).get(`${path}/rows`);
      expect([page.status, page.text.length > 5 * OBJECTS]).toEqual([200, true]);
    },
    run: (attacker) => hammerTool(attacker, 'query_rows', { datagridId: idOf(path) }),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});

it('serves another account while one account lists datagrids with the most columns by MCP', async () => {
  let workspaceId = '';
  const figures = await arena.run('MCP: lists of datagrids with 500 columns', {
    forMs: 10_000,
    held: () => [workspaceId],
    prepare: async ({ api }) => {
      workspaceId = await newWorkspace(api(0));
      const columns = Array.from({ length: COLUMNS }, (_, n) => {
        return { key: `column_${String(n)}`, type: 'text' };
      });
      for (let n = 0; n < DATAGRIDS; n += 1) await newDatagrid(api(0), columns, workspaceId);
    },
    run: (attacker) => hammerTool(attacker, 'list_datagrids', { workspaceId }),
  });
  expect(figures['status 200']).toBeGreaterThan(0);
});
