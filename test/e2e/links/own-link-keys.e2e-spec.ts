import type { Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { completed, importCsv, rejections, valuesOf } from '../import/sending';

/** Steps of an import end after every fourth line. */
const STEP_ROWS = 4;

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: String(STEP_ROWS) });
  owner = await app.newAccount();
});

/** A datagrid of tasks, whose rows link to rows of the same datagrid. */
beforeEach(async () => {
  grid = await newDatagrid(owner.api, [
    { key: 'no', type: 'integer', unique: true },
    { key: 'code', type: 'text', unique: true, options: { ignoreCase: true } },
  ]);
  const options = { datagridId: grid.replace('/datagrids/', '') };
  for (const [key, type] of [
    ['parent', 'link'],
    ['after', 'multiLink'],
  ]) {
    await owner.api.post(`${grid}/columns`, { key, type, options });
  }
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

async function imported(csv: string, query: string): Promise<Json> {
  return completed(owner.api, await importCsv(owner.api, grid, csv, `?linkKeys=${query}`));
}

describe('an import with keys of rows of its own datagrid', () => {
  it.each(['', '&mode=upsert&matchOn=no'])(
    'links rows to rows of earlier lines, wherever steps end (%s)',
    async (mode) => {
      // Of 30 rows, each is below the one before, or below that of the number halved.
      const chain = Array.from({ length: 30 }, (_none, at) => at + 1);
      const parents = chain.map((no) => (no === 1 ? null : no % 3 === 0 ? no - 1 : no >> 1));
      const lines = chain.map((no, at) => `${no},T${no},${parents[at] ? `t${parents[at]}` : ''}\n`);
      const report = await imported(`no,code,parent\n${lines.join('')}`, `parent.code${mode}`);
      expect(report).toMatchObject({ created: 30, rejected: 0 });
      expect(await valuesOf(owner.api, grid)).toEqual(
        chain.map((no, at) => ({
          no,
          code: `T${no}`,
          ...(parents[at] && { parent: parents[at] }),
        })),
      );
      // The links are entered: they restrict deletions.
      expect((await owner.api.delete(`${grid}/rows/2`)).status).toBe(409);
    },
  );

  it.each(['', '&mode=upsert&matchOn=no'])(
    'rejects keys that only later lines have, in the same step and in others (%s)',
    async (mode) => {
      const csv =
        'no,parent,after\n1,2,\n2,,\n3,2,"[2]"\n4,9,\n5,5,\n6,3,"[2,3]"\n7,,"[2,4]"\n8,3,\n9,8,\n';
      const query = `parent.no,after.no${mode}&onError=skip`;
      const report = await imported(csv, query);
      expect(rejections(report)).toEqual([
        '2 parent unknown_row',
        '5 parent unknown_row',
        '6 parent unknown_row',
        '8 after unknown_row',
      ]);
      const rows = await valuesOf(owner.api, grid);
      expect(rows).toEqual([
        { no: 2 },
        { no: 3, parent: 1, after: [1] },
        { no: 6, parent: 2, after: [1, 2] },
        { no: 8, parent: 2 },
        { no: 9, parent: 4 },
      ]);
    },
  );

  it('says that no earlier line has a key', async () => {
    const failed = await importCsv(owner.api, grid, 'no,parent\n1,2\n2,\n', '?linkKeys=parent.no');
    expectFailure(failed, 'invalid_request', ['lines.2.parent unknown_row']);
    expect(failed.body.error.details[0].message).toBe(
      'is 2, which no row and no earlier line has in column no',
    );
    expect(await valuesOf(owner.api, grid)).toEqual([]);
  });

  it('rejects repeated values as other imports, and lines that link to rejected ones', async () => {
    const csv = 'no,code,parent\n1,a,\n2,A,\n3,b,2\n4,c,1\n1,d,\n';
    const report = await imported(csv, 'parent.no&onError=skip');
    expect(rejections(report)).toEqual([
      '3 code duplicate',
      '4 parent unknown_row',
      '6 no duplicate',
    ]);
    expect(await valuesOf(owner.api, grid)).toEqual([
      { no: 1, code: 'a' },
      { no: 4, code: 'c', parent: 1 },
    ]);
  });

  it('links to rows by the keys that they have after earlier lines of an upsert', async () => {
    await imported('no,code\n1,a\n2,b\n', 'parent.no');
    const csv = 'no,code,parent\n1,x,\n3,c,x\n4,d,a\n2,a,\n5,e,a\n';
    const report = await imported(csv, 'parent.code&mode=upsert&matchOn=no&onError=skip');
    expect(rejections(report)).toEqual(['4 parent unknown_row']);
    expect(await valuesOf(owner.api, grid)).toEqual([
      { no: 1, code: 'x' },
      { no: 2, code: 'a' },
      { no: 3, code: 'c', parent: 1 },
      { no: 5, code: 'e', parent: 2 },
    ]);
  });
});
