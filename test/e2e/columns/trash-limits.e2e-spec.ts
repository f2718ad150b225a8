import { ColumnTrashService } from '../../../src/datagrids/column-trash/column-trash.service';
import type { ApiResponse, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { Sheet } from './sheet';

const MAX_COLUMNS = 4;
const MAX_METADATA_BYTES = 2_000;
const MAX_ROW_BYTES = 1_000;

let app: TestApp;
let owner: Member;
let sheet: Sheet;

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      MAX_COLUMNS: String(MAX_COLUMNS),
      maxColumnMetadataBytes: MAX_METADATA_BYTES,
      MAX_ROW_BYTES: String(MAX_ROW_BYTES),
    },
  });
  owner = await app.newAccount();
});

beforeEach(async () => {
  sheet = await Sheet.create(owner.api);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const restore = (body: object): Promise<ApiResponse> =>
  owner.api.post(`${sheet.path}/trash/columns/restore`, body);

const trashedIds = async (): Promise<number[]> => {
  const listed = dataOf(await owner.api.get(`${sheet.path}/trash/columns`), 200) as Json[];
  return listed.map(({ id }) => Number(id));
};

const add = async (column: object = {}): Promise<void> => {
  dataOf(await sheet.addColumn({ key: 'a', type: 'text', ...column }), 201);
};

/** Adds columns with the key `a` and removes each. */
const addAndRemove = async (count: number, column: object = {}): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    await add(column);
    expect((await sheet.removeColumn('a')).status).toBe(204);
  }
};

const age = (days: number): Promise<unknown> =>
  app.sql.query(
    'UPDATE datagrid_columns SET removed_at = now() - make_interval(days => $2) WHERE datagrid_id = $1 AND removed_at IS NOT NULL',
    [sheet.id, days],
  );

const trim = (): Promise<number> => app.nest.get(ColumnTrashService, { strict: false }).runOnce();

/** Returns what is stored of removed columns. */
async function stored(): Promise<object[]> {
  const { rows } = await app.sql.query<object>(
    `SELECT id, in_trash AS "inTrash", options, default_value AS "defaultValue",
      removed_by_user_id AS "userId" FROM datagrid_columns
    WHERE datagrid_id = $1 AND removed_at IS NOT NULL ORDER BY id`,
    [sheet.id],
  );
  return rows;
}

const SELECT = { type: 'select', options: { choices: ['x'] }, defaultValue: 'x' };
const EMPTIED = { inTrash: false, options: {}, defaultValue: null, userId: null };

describe('the retention of deleted columns', () => {
  it('ends after TRASH_RETENTION_DAYS: they cannot be restored, and their options are cleared', async () => {
    await addAndRemove(1, SELECT);
    await age(6);
    await trim();
    expect(await trashedIds()).toEqual([1]);
    await age(8);
    expect(await trashedIds()).toEqual([]);
    expectFailure(await restore({ id: 1 }), 'not_found');
    expect(await stored()).toMatchObject([{ inTrash: true, options: SELECT.options }]);
    await trim();
    expect(await stored()).toEqual([{ id: 1, ...EMPTIED }]);
  });

  it('keeps at most MAX_COLUMNS of a datagrid: the oldest leave the trash first', async () => {
    await addAndRemove(MAX_COLUMNS + 2, SELECT);
    expect(await trashedIds()).toEqual([6, 5, 4, 3]);
    expect(await stored()).toMatchObject([
      { id: 1, ...EMPTIED },
      { id: 2, ...EMPTIED },
      { id: 3, inTrash: true, options: SELECT.options, defaultValue: 'x' },
      ...[{ id: 4 }, { id: 5 }, { id: 6 }],
    ]);
    expectFailure(await restore({ id: 2 }), 'not_found');
  });

  it('keeps at most as much metadata of a datagrid as its columns may have', async () => {
    const choices = Array.from({ length: 4 }, (_, n) => `${String(n)}${'x'.repeat(180)}`);
    await addAndRemove(4, { type: 'select', options: { choices } });
    expect(await trashedIds()).toEqual([4, 3]);
  });
});

describe('the limits of a restoration of deleted columns', () => {
  it('return 400 if the datagrid would have more than MAX_COLUMNS', async () => {
    await addAndRemove(1);
    for (const key of ['b', 'c', 'd', 'e']) await add({ key });
    expectFailure(await restore({ id: 1 }), 'invalid_request', ['columns out_of_range']);
    expect((await sheet.removeColumn('e')).status).toBe(204);
    dataOf(await restore({ id: 1 }), 200);
  });

  it('return 400 if the columns would be too large together', async () => {
    const choices = Array.from({ length: 6 }, (_, n) => `${String(n)}${'x'.repeat(180)}`);
    const large = { type: 'select', options: { choices } };
    await addAndRemove(1, large);
    await add({ ...large, key: 'b' });
    expectFailure(await restore({ id: 1 }), 'invalid_request', ['id too_large']);
    dataOf(await sheet.changeColumn('b', { options: { choices: ['x'] } }), 200);
    dataOf(await restore({ id: 1 }), 200);
  });

  it('return 409 with the row if a row would be larger than MAX_ROW_BYTES', async () => {
    await add();
    await add({ key: 'b' });
    const half = 'x'.repeat(600);
    await sheet.fill([{ a: 'small' }, { a: half, b: 'small' }, { a: half }]);
    expect((await sheet.removeColumn('a')).status).toBe(204);
    dataOf(await owner.api.patch(`${sheet.path}/rows/2`, { values: { b: half } }), 200);
    const rejected = await restore({ id: 1 });
    expectFailure(rejected, 'conflict');
    expect(rejected.body.error.message).toBe(
      'Row 2 would have more than 1000 bytes with this column. Shorten its other values first.',
    );
    expect((await sheet.read()).columns).toHaveLength(1);
    dataOf(await owner.api.patch(`${sheet.path}/rows/2`, { values: { b: 'y' } }), 200);
    dataOf(await restore({ id: 1 }), 200);
    expect(await sheet.values()).toEqual([{ a: 'small' }, { a: half, b: 'y' }, { a: half }]);
  });

  it('return 400 if the default values would have more than 4,096 bytes', async () => {
    const roomy = await TestApp.start({ database: app.database });
    try {
      sheet = await Sheet.create(roomy.api(owner.key));
      const defaultValue = 'x'.repeat(3_000);
      await addAndRemove(1, { defaultValue });
      await add({ key: 'b', defaultValue });
      const path = `${sheet.path}/trash/columns/restore`;
      const rejected = await roomy.api(owner.key).post(path, { id: 1 });
      expectFailure(rejected, 'invalid_request', ['id too_large']);
    } finally {
      await roomy.close();
    }
  });
});
