import { RowSources } from '../../../src/connections/sync/row-source.repository';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.alone('It ends the connections of the database.');
});

afterAll(() => app.close());

describe('the source of the rows of a sync', () => {
  it('reads on another connection if PostgreSQL has closed its own', async () => {
    const owner = await app.newAccount();
    const workspace = await newWorkspace(owner.api);
    const path = await newDatagrid(owner.api, [{ key: 'code', type: 'text' }], workspace);
    dataOf(await owner.api.post(`${path}/rows`, { values: { code: 'JFK' } }), 201);
    const datagridId = path.split('/')[2] ?? '';
    const sources = app.nest.get(RowSources, { strict: false });
    const source = await sources.open({ accountId: owner.accountId, datagridId });
    try {
      const first = await source.readRevisions({ from: 1, to: 10 });
      expect(first.rows).toHaveLength(1);
      // The snapshot of the source is the only transaction that stays open.
      const { rowCount } = await app.sql.query(`
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'
          AND position('r.revision FROM rows' IN query) > 0`);
      expect(rowCount).toBe(1);
      await expect(source.readRevisions({ from: 1, to: 10 })).resolves.toEqual(first);
      await expect(source.sumBlocks()).resolves.toMatchObject({ blocks: [{ ids: '1' }] });
    } finally {
      source.close();
    }
  });
});
