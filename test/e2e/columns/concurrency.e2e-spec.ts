import { DatagridSchemaService } from '../../../src/datagrids/schema/datagrid-schema.service';
import type { Answer } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = (column: object, values: readonly unknown[]): Promise<Sheet> =>
  Sheet.of(owner.api, column, values);

describe('a change of columns, while others write', () => {
  it('leaves no row without a value that became required', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const [changed, ...created] = await sheet.race(
      app,
      () => sheet.changeColumn('a', { required: true }),
      () => sheet.addRow({}),
      () => owner.api.put(`${sheet.path}/rows/1`, { values: {} }),
      () => owner.api.patch(`${sheet.path}/rows/1`, { values: { a: null } }),
      // As a list: single rows that wait together would be one waiter.
      () => sheet.addRows([{ values: { a: 'y' } }]),
    );
    expect(changed?.status).toBe(200);
    expect(created.map(({ status }) => status)).toEqual([400, 400, 400, 201]);
    expect(await sheet.values()).toEqual([{ a: 'x' }, { a: 'y' }]);
  });

  it('sees a row that was written while it waited', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const [created, changed] = await sheet.race(
      app,
      () => sheet.addRow({}),
      () => sheet.changeColumn('a', { required: true }),
    );
    expect([created?.status, changed?.status]).toEqual([201, 409]);
    expect(changed?.body.error.message).toBe('required: 1 row has no value');
  });

  it('lets no value in twice that became unique', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    const [changed, ...created] = await sheet.race(
      app,
      () => sheet.changeColumn('a', { unique: true }),
      () => sheet.addRow({ a: 'x' }),
      () => sheet.addRows([{ values: { a: 'y' } }]),
    );
    expect(changed?.status).toBe(200);
    expect(created.map(({ status }) => status)).toEqual([409, 201]);
    expect(await sheet.uniqueValues(app)).toBe(2);
  });

  it('lets no write in that was checked with a column that is removed', async () => {
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

  it('finds nothing where the datagrid is deleted first', async () => {
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
});

describe('a write, while somebody changes columns without pause', () => {
  /** Has a column changed after each look at the columns, unless the lock is held: then it waits. */
  function changeAfterEachLook(sheet: Sheet): Promise<Answer>[] {
    const schemas = app.nest.get(DatagridSchemaService);
    const look = schemas.get.bind(schemas);
    const changes: Promise<Answer>[] = [];
    jest.spyOn(schemas, 'get').mockImplementation(async (...args) => {
      const schema = await look(...args);
      let isMade = false;
      const change = sheet.changeColumn('a', { required: changes.length % 2 === 1 });
      changes.push(change.finally(() => (isMade = true)));
      await eventually(async () => isMade || (await waitingForLocks(app)) > 0);
      return schema;
    });
    return changes;
  }

  afterEach(() => jest.restoreAllMocks());

  const writes: [string, (sheet: Sheet) => Promise<Answer>, number][] = [
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

  it.each(writes)('is made: %s', async (_, write, status) => {
    const sheet = await sheetOf({ type: 'text' }, ['x']);
    // What the service remembers of the columns is out of date: it looks.
    await sheet.changeColumn('a', { required: true });
    const changes = changeAfterEachLook(sheet);
    expect((await write(sheet)).status).toBe(status);
    expect(changes.length).toBeGreaterThan(1);
    for (const change of changes) expect((await change).status).toBe(200);
  });
});

describe('a write, while a column is changed for long', () => {
  it('is 503 after LOCK_TIMEOUT_MS, and writes nothing; reads go on', async () => {
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
      const answers = await Promise.all([
        api.post(`${sheet.path}/rows`, { values: { a: 'y' } }),
        api.patch(`${sheet.path}/rows/1`, { values: { a: 'y' } }),
        api.delete(`${sheet.path}/rows/1`),
        api.delete(`${sheet.path}/columns/a`),
      ]);
      for (const answer of answers) {
        expectFailure(answer, 'unavailable');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      expect((await api.get(`${sheet.path}/rows`)).status).toBe(200);
      expect(impatient.logs.join('')).toContain('canceling statement due to lock timeout');
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
      await impatient.close();
    }
    expect(await sheet.values()).toEqual([{ a: 'x' }]);
  });
});
