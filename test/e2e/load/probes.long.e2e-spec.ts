import { Client } from 'pg';
import { Database } from '../../../src/platform/database/database';
import { PROBE } from '../../../src/platform/database/session-settings';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';

const MANY = 40;

describe('readiness probes', () => {
  it('wait together for one connection, however many they are', async () => {
    const app = await TestApp.start({ settings: { DATABASE_POOL_SIZE: '1' } });
    const owner = await app.newAccount();
    const path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const lock = new Client({ connectionString: app.database.url });
    await lock.connect();
    await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
    const write = owner.api.post(`${path}/rows`, { values: { n: 1 } });
    await eventually(async () => (await waitingForLocks(app)) === 1);

    const run = jest.spyOn(app.nest.get(Database), 'run');
    const startedAtMs = performance.now();
    const probe = async (): Promise<number> => (await fetch(`${app.origin}/health/ready`)).status;
    // All probes have been received once the last one gets a response, over one new connection.
    // If connecting takes a busy machine longer than a second, the probe reports not ready.
    await eventually(async () => {
      const statuses = await Promise.all(Array.from({ length: MANY }, probe));
      return statuses.every((status) => status === 200);
    });
    const checks = run.mock.calls.filter(([statement]) => statement === PROBE).length;
    expect(checks).toBeGreaterThan(0);
    // While the pool has no free connection, a check takes at least a second, and all probes share it.
    expect(checks).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAtMs) / 1_000));

    await lock.query('COMMIT');
    expect((await write).status).toBe(201);
    expect((await fetch(`${app.origin}/health/ready`)).status).toBe(200);
    await lock.end();
    await app.close();
  });
});
