import { DatagridSchemaService } from '../../../src/datagrids/schema/datagrid-schema.service';
import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = (column: object, values: readonly unknown[]): Promise<Sheet> =>
  Sheet.of(owner.api, column, values);

describe('a column change during concurrent writes', () => {
  it('leaves no row without the required value', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const [changed, ...created] = await sheet.race(
      app,
      () => sheet.changeColumn('a', { required: true }),
      () => sheet.addRow({}),
      () => owner.api.put(`${sheet.path}/rows/1`, { values: {} }),
      () => owner.api.patch(`${sheet.path}/rows/1`, { values: { a: null } }),
      // Sent as a list, because single rows that wait together are batched into one waiter.
      () => sheet.addRows([{ values: { a: 'y' } }]),
    );
    expect(changed?.status).toBe(200);
    expect(created.map(({ status }) => status)).toEqual([400, 400, 400, 201]);
    expect(await sheet.values()).toEqual([{ a: 'x' }, { a: 'y' }]);
  });

  it('checks a row that was written while it waited', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const [created, changed] = await sheet.race(
      app,
      () => sheet.addRow({}),
      () => sheet.changeColumn('a', { required: true }),
    );
    expect([created?.status, changed?.status]).toEqual([201, 409]);
    expect(changed?.body.error.message).toBe('required: 1 row has no value');
  });

  it('causes 409 for a waiting write that repeats a unique value', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const [changed, ...created] = await sheet.race(
      app,
      () => sheet.changeColumn('a', { unique: true }),
      () => sheet.addRow({ a: 'x' }),
      () => sheet.addRows([{ values: { a: 'y' } }]),
    );
    expect(changed?.status).toBe(200);
    expect(created.map(({ status }) => status)).toEqual([409, 201]);
    await sheet.waitForUniqueValues(app, 2);
  });

  it('causes 400 for a waiting write to the removed column', async () => {
    const sheet = await Sheet.create(owner.api, [
      { key: 'a', type: 'text' },
      { key: 'b', type: 'text' },
    ]);
    await sheet.fill([{ a: 'x', b: '1' }]);
    const [removed, created, merged] = await sheet.race(
      app,
      () => sheet.removeColumn('a'),
      () => sheet.addRow({ a: 'y' }),
      () => owner.api.patch(`${sheet.path}/rows/1`, { values: { b: '2' } }),
    );
    expect([removed?.status, created?.status, merged?.status]).toEqual([204, 400, 200]);
    expect(await sheet.values()).toEqual([{ b: '2' }]);
  });

  it('returns 404 if the datagrid is deleted first', async () => {
    const sheet = await Sheet.create(owner.api);
    const [deleted, added] = await sheet.race(
      app,
      () => owner.api.delete(sheet.path),
      () => sheet.addColumn({ key: 'a', type: 'text' }),
    );
    expect([deleted?.status, added?.status]).toEqual([204, 404]);
    const left = await app.sql.query('SELECT FROM datagrid_columns WHERE datagrid_id = $1', [
      sheet.id,
    ]);
    expect(left.rowCount).toBe(0);
  });

  it('succeeds if the datagrid is deleted after it', async () => {
    const sheet = await Sheet.create(owner.api);
    const [added, deleted] = await sheet.race(
      app,
      () => sheet.addColumn({ key: 'a', type: 'text' }),
      () => owner.api.delete(sheet.path),
    );
    expect([added?.status, deleted?.status]).toEqual([201, 204]);
  });
});

describe('a write during continuous column changes', () => {
  /** Starts a column change after each schema read, and waits until it is done or waits for a lock. */
  function changeAfterEachRead(sheet: Sheet): Promise<ApiResponse>[] {
    const schemas = app.nest.get(DatagridSchemaService);
    const readSchema = schemas.get.bind(schemas);
    const changes: Promise<ApiResponse>[] = [];
    jest.spyOn(schemas, 'get').mockImplementation(async (...args) => {
      const schema = await readSchema(...args);
      let isMade = false;
      const change = sheet.changeColumn('a', { required: changes.length % 2 === 1 });
      changes.push(change.finally(() => (isMade = true)));
      await eventually(async () => isMade || (await waitingForLocks(app)) > 0);
      return schema;
    });
    return changes;
  }

  afterEach(() => jest.restoreAllMocks());

  const writes: [string, (sheet: Sheet) => Promise<ApiResponse>, number][] = [
    ['create', (sheet) => sheet.addRow({ a: 'y' }), 201],
    ['merge', ({ path }) => owner.api.patch(`${path}/rows/1`, { values: { a: 'y' } }), 200],
    ['delete', ({ path }) => owner.api.delete(`${path}/rows/1`), 204],
    ['delete by filter', ({ path }) => owner.api.post(`${path}/rows/delete`, { filter: {} }), 200],
    [
      'batch',
      ({ path }) => {
        const operations = [{ op: 'update', id: 1, values: { a: 'y' } }];
        return owner.api.post(`${path}/rows/batch`, { mode: 'atomic', operations });
      },
      200,
    ],
  ];

  it.each(writes)('succeeds: %s', async (_, write, status) => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    // Makes the cached schema stale, so that the write reads it again.
    await sheet.changeColumn('a', { required: true });
    const changes = changeAfterEachRead(sheet);
    expect((await write(sheet)).status).toBe(status);
    expect(changes.length).toBeGreaterThan(1);
    for (const change of changes) expect((await change).status).toBe(200);
  });
});

describe('a write during a long column change', () => {
  it('returns 503 after LOCK_TIMEOUT_MS and changes nothing, while reads succeed', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const impatient = await TestApp.start({
      database: app.database,
      settings: { LOCK_TIMEOUT_MS: '200', DATABASE_POOL_SIZE: '2' },
    });
    const api = impatient.api(owner.key);
    const holder = await app.sql.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
        sheet.id,
      ]);
      const responses = await Promise.all([
        api.post(`${sheet.path}/rows`, { values: { a: 'y' } }),
        api.patch(`${sheet.path}/rows/1`, { values: { a: 'y' } }),
        api.delete(`${sheet.path}/rows/1`),
        api.delete(`${sheet.path}/columns/a`),
      ]);
      for (const response of responses) {
        expectFailure(response, 'unavailable');
        expect(response.headers.get('retry-after')).toBe('1');
      }
      expect((await api.get(`${sheet.path}/rows`)).status).toBe(200);
      expect(impatient.logs.join('')).toContain(
        'Another change, such as a conversion of a column, takes long.',
      );
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
      await impatient.close();
    }
    expect(await sheet.values()).toEqual([{ a: 'x' }]);
  });
});
