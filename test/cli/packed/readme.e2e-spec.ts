import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { InstalledPackages } from './installed-packages';

let app: TestApp;
let installed: InstalledPackages;

beforeAll(async () => {
  app = await TestApp.shared();
  installed = InstalledPackages.get();
}, 180_000);

afterAll(() => app.close());

/** What the program prints, without its changes. */
const OUTPUT = `owner
2 { number: 'DG 2' }
3 { seats: 8, number: 'DG 3' }
2
{ created: 2498, updated: 2, unchanged: 0 }
409 conflict values.number [
  {
    field: 'values.number',
    code: 'duplicate',
    message: 'must be unique, but row 4 already has this value'
  }
] <request>
[ { line: 3, details: [ [Object] ] } ] continue with startLine 1
2500 rows, 30299 characters
2500 rows copied
`;

describe('the README of the client', () => {
  it('shows a program that a strict project accepts and that does what it says', async () => {
    const { api, key } = await app.newAccount();
    const columns = [
      { key: 'number', type: 'text', unique: true, required: true },
      { key: 'seats', type: 'integer' },
    ];
    const datagrid = await newDatagrid(api, columns);
    const placeholders = new Placeholders({
      'http://localhost:3000': app.origin,
      'mk_…': key,
      '<datagridId>': datagrid.slice('/datagrids/'.length),
    });
    const readme = readFileSync(installed.path('node_modules/@datagrid/client/README.md'), 'utf8');
    const blocks = fencesOf(readme);
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['ts']));
    const code = blocks.map(({ text }) => text).join('\n');
    // The function that receives webhooks is only checked: nothing calls it.
    const program = `${placeholders.toActual(code)}\nvoid handle;\nexport {};\n`;
    writeFileSync(installed.path('readme.mts'), program);
    const options = { lib: ['es2023', 'dom', 'dom.asynciterable'], types: [] };
    installed.checkTypes(options, ['readme.mts']);

    const compiled = installed.path('programs/readme.mjs');
    const { stdout: printed } = await promisify(execFile)(process.execPath, [compiled]);
    expect(printed.replace(/\] [0-9a-f-]{36}\n/, '] <request>\n')).toBe(OUTPUT);
    expect(dataOf(await api.get(datagrid), 200).rowCount).toBe(2_500);
  });
});
