import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API, ApiClient, FileBody } from '../support/api-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { newOwner } from '../faults/support/owner';
import { type Arena, type Attacker, idOf, startArena } from './support/arena';

/** Their export does not fit in the buffers of a connection. */
const ROWS = 30_000;
const SLOW_IMPORTS = 6;
/** Those of one account that an instance runs: half of `MAX_CONCURRENT_IMPORTS`. */
const RUNNING_IMPORTS = 2;
/** The most of one account that an instance keeps open. */
const SLOW_EXPORTS = 4;
const BYTE_EVERY_MS = 500;

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

/** Starts an import, sends the first line, and then one byte at a time. */
function importSlowly({ origins, key, signal }: Attacker, instance: number, path: string): void {
  const sent = request(`${origins[instance] ?? ''}${API}${path}/rows/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
  });
  sent.on('error', () => undefined);
  sent.write('{"text":"a"}\n{"text":"');
  const timer = setInterval(() => sent.write('a'), BYTE_EVERY_MS);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    sent.destroy();
  });
}

/** Starts an export and reads nothing of it. @returns the status. */
async function exportSlowly(
  { origins, key, signal }: Attacker,
  instance: number,
  path: string,
): Promise<number | undefined> {
  const sent = request(`${origins[instance] ?? ''}${API}${path}/rows/export`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  });
  sent.on('error', () => undefined);
  signal.addEventListener('abort', () => {
    sent.destroy();
  });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  response.pause().on('error', () => undefined);
  return response.statusCode;
}

async function runningImports(path: string): Promise<number> {
  const sql = `SELECT 1 FROM imports WHERE datagrid_id = $1 AND state = 'running'`;
  return withClient(arena.databaseUrl, async (client) => {
    return (await client.query(sql, [idOf(path)])).rows.length;
  });
}

it('imports and exports for another account while one account keeps all its streams open', async () => {
  const other = await newOwner(arena.databaseUrl);
  const clients = arena.origins.map((origin) => new ApiClient(origin, other.key));
  const grid = await newDatagrid(new ApiClient(arena.origins[0] ?? '', other.key), [
    { key: 'text', type: 'text' },
  ]);
  let path = '';
  let rounds = 0;
  await arena.run('slow imports and slow exports', {
    forMs: 20_000,
    prepare: async (attacker) => {
      path = await newDatagrid(attacker.api(0), [{ key: 'text', type: 'text' }]);
      const line = `{"text":"${'a'.repeat(300)}"}\n`;
      const file = new FileBody('application/x-ndjson', line.repeat(ROWS));
      dataOf(await attacker.api(0).post(`${path}/rows/import`, file), 201);
    },
    hasBegun: () => rounds > 0,
    mayEndFirst: true,
    run: async (attacker) => {
      for (const instance of arena.origins.keys()) {
        for (let n = 0; n < SLOW_IMPORTS; n += 1) importSlowly(attacker, instance, path);
        const exports = Array.from({ length: SLOW_EXPORTS }, () =>
          exportSlowly(attacker, instance, path),
        );
        // An export that has waited for long is rejected.
        expect(await Promise.all(exports)).toContain(200);
      }
      const running = arena.origins.length * RUNNING_IMPORTS;
      await eventually(async () => (await runningImports(path)) === running);
      for (; !attacker.signal.aborted; rounds += 1) {
        const line = new FileBody('application/x-ndjson', '{"text":"mine"}\n');
        for (const each of clients) {
          dataOf(await each.post(`${grid}/rows/import`, line), 201);
          expect((await each.get(`${grid}/rows/export`)).status).toBe(200);
        }
        await delay(200);
      }
      return { 'imports and exports': rounds * clients.length };
    },
  });
});
