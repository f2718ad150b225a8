import { PurgeService } from '../../../src/rows/purge/purge.service';
import type { ApiClient } from '../../support/api-client';
import { describePlain } from '../../support/citus-cluster';
import { expectFailure } from '../../support/failure';
import { newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newSheet, recordsOf, restore, trashOf } from './trashed';

let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.alone('It empties the trash of all accounts.');
  api = (await app.newAccount()).api;
});

afterAll(() => app.close());

const run = (replica = app): Promise<number> =>
  replica.nest.get(PurgeService, { strict: false }).runOnce();

/** Moves the deletion time of a resource back in the database. */
async function age(path: string, interval: string): Promise<void> {
  for (const table of ['workspaces', 'datagrids']) {
    // Citus accepts only functions that do not depend on the time zone of the session.
    const sql = `UPDATE ${table}
      SET deleted_at = (deleted_at AT TIME ZONE 'UTC' - $2::interval) AT TIME ZONE 'UTC'
      WHERE id = $1 AND deleted_at IS NOT NULL`;
    await app.sql.query(sql, [idOf(path), interval]);
  }
}

describe('the purge job for the trash', () => {
  it('purges a datagrid when its retention period is over, and not before', async () => {
    const [over, young] = [await newSheet(api), await newSheet(api)];
    for (const path of [over, young]) await discard(api, path);
    // In hours, because a week with a clock change has an hour more or less.
    await age(over, '168 hours 1 second');
    await age(young, '167 hours 59 minutes');
    await run();
    expect(await trashOf(api)).toEqual([idOf(young)]);
    expect(await recordsOf(app, over)).toBe(0);
    expectFailure(await restore(api, over), 'not_found');
    expect((await restore(api, young)).status).toBe(200);
    expect((await api.get(`${young}/rows`)).body.meta.total).toBe(4);
  });

  it('purges a workspace with everything that was deleted in it, and nothing else', async () => {
    const [doomed, other] = [await newWorkspace(api), await newWorkspace(api)];
    const sheets = [await newSheet(api, doomed), await newSheet(api, doomed)];
    const neighbour = await newSheet(api, other);
    await discard(api, sheets[0] ?? '');
    await discard(api, `/workspaces/${doomed}?cascade=true`);
    await age(doomed, '8 days');
    await run();
    expect(await trashOf(api)).toEqual([]);
    expect(await Promise.all(sheets.map((sheet) => recordsOf(app, sheet)))).toEqual([0, 0]);
    expectFailure(await restore(api, doomed), 'not_found');
    expect((await api.get(`${neighbour}/rows`)).body.meta.total).toBe(4);
  });

  it('does not purge a workspace whose datagrid was purged separately', async () => {
    const workspace = await newWorkspace(api);
    const sheet = await newSheet(api, workspace);
    await discard(api, sheet);
    await discard(api, `/workspaces/${workspace}`);
    await age(sheet, '8 days');
    await run();
    expect(await trashOf(api)).toEqual([workspace]);
    expect((await restore(api, workspace)).status).toBe(200);
  });

  it('waits for TRASH_RETENTION_DAYS', async () => {
    const patient = await TestApp.start({ settings: { TRASH_RETENTION_DAYS: '30' } });
    try {
      const { api: own } = await patient.newAccount();
      const sheet = await newSheet(own);
      await discard(own, sheet);
      const set = "UPDATE datagrids SET deleted_at = now() - interval '29 days' WHERE id = $1";
      await patient.sql.query(set, [idOf(sheet)]);
      await run(patient);
      const [{ deletedAt, expiresAt }] = (await own.get('/trash')).body.data;
      expect(Date.parse(expiresAt) - Date.parse(deletedAt)).toBe(30 * 24 * 60 * 60 * 1_000);
      expect((await restore(own, sheet)).status).toBe(200);
    } finally {
      await patient.close();
    }
  });

  it('shares the work with other replicas', async () => {
    const other = await TestApp.start({ database: app.database });
    try {
      const sheets: string[] = [];
      for (let n = 0; n < 6; n += 1) sheets.push(await newSheet(api));
      for (const path of sheets) await discard(api, path);
      for (const path of sheets) await age(path, '8 days');
      await Promise.all([run(), run(other)]);
      await Promise.all([run(), run(other)]);
      expect(await Promise.all(sheets.map((sheet) => recordsOf(app, sheet)))).toEqual(
        sheets.map(() => 0),
      );
      expect(await trashOf(api)).toEqual([]);
    } finally {
      await other.close();
    }
    expect(app.logs.filter((line) => line.includes('trash purge failed'))).toEqual([]);
  });
});

// Citus locks all datagrids for a transaction that locks one.
describePlain('the purge job for the trash while an item is locked', () => {
  it('skips it, and continues with the next', async () => {
    const holder = await app.sql.connect();
    const take = 'SELECT FROM datagrids WHERE id = $1 FOR UPDATE SKIP LOCKED';
    let held = '';
    await holder.query('BEGIN');
    try {
      // The service's own run may sometimes come first.
      while (held === '') {
        const path = await newSheet(api);
        await discard(api, path);
        await age(path, '9 days');
        if ((await holder.query(take, [idOf(path)])).rowCount === 1) held = path;
      }
      const free = await newSheet(api);
      await discard(api, free);
      await age(free, '8 days');
      await run();
      expect(await recordsOf(app, free)).toBe(0);
      expect(await trashOf(api)).toEqual([idOf(held)]);
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    await run();
    expect(await trashOf(api)).toEqual([]);
  });
});
