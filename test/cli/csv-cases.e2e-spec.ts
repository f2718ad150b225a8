import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CSV_CASES } from '../support/csv-cases';
import { datagridFor, expectRows } from '../support/csv-import';
import { TestApp, type Member } from '../support/test-app';
import { client } from './client';

let app: TestApp;
let owner: Member;
let directory: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  directory = await mkdtemp(join(tmpdir(), 'datagrid-csv-'));
});

afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

describe('the import of the command line', () => {
  it.each(CSV_CASES)('reads $name as the API and the console do', async (each) => {
    const grid = await datagridFor(owner.api, each);
    const file = join(directory, 'file.csv');
    await writeFile(file, each.file);
    const encoding = each.encoding === undefined ? [] : ['--encoding', each.encoding];
    const options = ['--datagrid', grid.slice('/datagrids/'.length), ...encoding];
    const args = ['import', file, ...options, '--on-error', 'skip', '--json'];
    const { code, stdout } = await client(app.origin, owner.key, ...args);
    expect(code).toBe(0);
    await expectRows(owner.api, grid, JSON.parse(stdout), each);
  });
});
