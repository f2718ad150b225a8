import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { curlCode } from '../../../console/src/datagrids/api-panel/curl';
import { callsFor } from '../../../console/src/datagrids/api-panel/example-calls';
import { pythonCode } from '../../../console/src/datagrids/api-panel/python';
import { typescriptCode } from '../../../console/src/datagrids/api-panel/typescript';
import {
  COLUMN_TYPE_NAMES,
  isComputed,
  isReadOnly,
} from '../../../src/datagrids/column-type/column-type';
import { EXAMPLE_LANGUAGES, runExample } from '../../support/example-program';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const CHOICES = ["it's", '"quoted" $HOME `x` \\n'];

const keyOf = (type: string): string => `${type}Column`;

/** Returns columns of every type that stores values. One is unique, so that the console shows an upsert. */
const columnsOf = (datagridId: string): object[] =>
  COLUMN_TYPE_NAMES.filter((type) => !isComputed(type)).map((type) => ({
    key: keyOf(type),
    type,
    ...(!isReadOnly(type) && { required: true }),
    unique: type === 'email',
    ...(type.toLowerCase().endsWith('select') && { options: { choices: CHOICES } }),
    ...(type.toLowerCase().endsWith('link') && { options: { datagridId } }),
  }));

const WRITERS = { curl: curlCode, TypeScript: typescriptCode, Python: pythonCode };

let app: TestApp;
let member: Member;
let directory: string;

beforeAll(async () => {
  app = await TestApp.shared();
  member = await app.newAccount();
});

afterAll(async () => {
  await app.close();
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'api-panel-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** Returns the values of all rows, without those that the service sets. */
const valuesOf = async (path: string): Promise<unknown[]> => {
  const rows = dataOf(await member.api.get(`${path}/rows`), 200) as { values: object }[];
  const written = COLUMN_TYPE_NAMES.filter((type) => !isReadOnly(type)).map(keyOf);
  return rows.map(({ values }) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => written.includes(key))),
  );
};

describe('the code examples in the console', () => {
  it.each(EXAMPLE_LANGUAGES)('work as they are printed: %s', async (language) => {
    const workspace = await newWorkspace(member.api);
    const linked = await newDatagrid(member.api, [{ key: 'name', type: 'text' }], workspace);
    const rows = [{ values: {} }, { values: {} }];
    dataOf(await member.api.post(`${linked}/rows`, { rows }), 201);
    const columns = columnsOf(linked.replace('/datagrids/', ''));
    const path = await newDatagrid(member.api, columns, workspace);
    const datagrid = dataOf(await member.api.get(path), 200);
    const query = { filter: `{"textColumn":{"$ne":${JSON.stringify(CHOICES.join())}}}` };
    const calls = callsFor(app.origin, datagrid, query);
    const call = async (title: string): Promise<void> => {
      const found = calls.find((one) => one.title.startsWith(title));
      if (!found) throw new Error(`No call ${title}`);
      const code = WRITERS[language](found);
      await runExample(language, code, directory, { DATAGRID_API_KEY: member.key });
    };

    await call('Create a row');
    const [made] = await valuesOf(path);
    expect(made).toMatchObject({ selectColumn: CHOICES[0], multiSelectColumn: [CHOICES[0]] });
    await call('List the rows on the screen');
    await call('Get a row');
    const changed = { textColumn: 'changed by somebody' };
    dataOf(await member.api.patch(`${path}/rows/1`, { values: changed }), 200);
    await call('Update a row');
    expect(await valuesOf(path)).toEqual([made]);
    dataOf(await member.api.patch(`${path}/rows/1`, { values: changed }), 200);
    await call('Upsert rows');
    expect(await valuesOf(path)).toEqual([made]);
    await call('Export');
    expect((await readFile(join(directory, 'rows.csv'), 'utf8')).split('\n')).toHaveLength(3);
    await call('Delete a row');
    expect(await valuesOf(path)).toEqual([]);
    await call('Import');
    expect(await valuesOf(path)).toEqual([made]);
  });
});
