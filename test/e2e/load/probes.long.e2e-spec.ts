import { Client } from 'pg';
import { Database } from '../../../src/platform/database/database';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';

const MANY = 60;

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

    let maxWaiting = 0;
    const database = app.nest.get(Database);
    const watch = setInterval(() => {
      maxWaiting = Math.max(maxWaiting, database.poolState.waiting);
    }, 1);
    const probe = async (): Promise<number> => (await fetch(`${app.origin}/health/ready`)).status;
    // All probes have been received once the last one gets a response, over one new connection.
    // If connecting takes a busy machine longer than a second, the probe reports not ready.
    await eventually(async () => {
      const statuses = await Promise.all(Array.from({ length: MANY }, probe));
      return statuses.every((status) => status === 200);
    });
    clearInterval(watch);
    expect(maxWaiting).toBeGreaterThan(0);
    // Besides the probes, each background task can wait. More of them do the longer this takes, up to all: about 20.
    expect(maxWaiting).toBeLessThan(MANY / 2);

    await lock.query('COMMIT');
    expect((await write).status).toBe(201);
    expect((await fetch(`${app.origin}/health/ready`)).status).toBe(200);
    await lock.end();
    await app.close();
  });
});
