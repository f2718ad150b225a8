import { request, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API, FileBody } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import { newOwner } from '../faults/support/owner';
import { Arena, type Attacker } from './support/arena';

const ROWS = 30_000;
const SLOW_IMPORTS = 6;
const SLOW_EXPORTS = 4;
const BYTE_EVERY_MS = 500;

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
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

/** Starts an export and reads nothing of it. */
function exportSlowly({ origins, key, signal }: Attacker, instance: number, path: string): void {
  const sent: ClientRequest = request(`${origins[instance] ?? ''}${API}${path}/rows/export`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  });
  sent.on('response', (response) => response.pause()).on('error', () => undefined);
  sent.end();
  signal.addEventListener('abort', () => {
    sent.destroy();
  });
}

it('imports and exports for another account while one account keeps all its streams open', async () => {
  const other = await newOwner(arena.databaseUrl);
  const api = [arena.replicas.api(0, other.key), arena.replicas.api(1, other.key)] as const;
  const grid = await newDatagrid(api[0], [{ key: 'text', type: 'text' }]);
  let path = '';
  const outcome = await arena.run('slow imports and slow exports', {
    forMs: 20_000,
    prepare: async (attacker) => {
      path = await newDatagrid(attacker.api(0), [{ key: 'text', type: 'text' }]);
      const line = `{"text":"${'a'.repeat(300)}"}\n`;
      const file = new FileBody('application/x-ndjson', line.repeat(ROWS));
      dataOf(await attacker.api(0).post(`${path}/rows/import`, file), 201);
    },
    run: async (attacker) => {
      for (const instance of [0, 1]) {
        for (let n = 0; n < SLOW_IMPORTS; n += 1) importSlowly(attacker, instance, path);
        for (let n = 0; n < SLOW_EXPORTS; n += 1) exportSlowly(attacker, instance, path);
      }
      let [imports, exports] = [0, 0];
      while (!attacker.signal.aborted) {
        const line = new FileBody('application/x-ndjson', '{"text":"mine"}\n');
        for (const each of api) {
          dataOf(await each.post(`${grid}/rows/import`, line), 201);
          imports += 1;
          expect((await each.get(`${grid}/rows/export`)).status).toBe(200);
          exports += 1;
        }
        await delay(200);
      }
      return { imports, exports };
    },
  });
  arena.expectUnaffected(outcome);
});
