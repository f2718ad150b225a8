import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { EXAMPLE_LANGUAGES } from '../../support/example-program';
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
[ { flights: 10, most: 2500 } ]
DG 1
DG 2
6 audit events
2500 rows copied
`;

describe('the README of the client', () => {
  it('shows a program that a strict project accepts and that does what it says', async () => {
    const { api, key } = await app.newAccount();
    const columns = [
      { key: 'number', type: 'text', unique: true, required: true },
      { key: 'seats', type: 'integer' },
    ];
    const datagrid = await newDatagrid(api, columns, undefined, 'Flights');
    const { workspaceId } = dataOf(await api.get(datagrid), 200);
    const placeholders = new Placeholders({
      'http://localhost:3000': app.origin,
      'mk_…': key,
      '<datagridId>': datagrid.slice('/datagrids/'.length),
      '<workspaceId>': workspaceId,
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

describe('docs/clients.md', () => {
  const ROOT = join(__dirname, '../../..');
  const text = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
  const blocks = fencesOf(text);
  const commands = blocks.filter(({ language }) => language === 'sh').map((block) => block.text);
  const find = (language: string): string =>
    blocks.find((block) => block.language === language)?.text ?? '';
  let directory: string;

  beforeAll(() => {
    // An empty project, with the files that `npm pack` writes.
    directory = mkdtempSync(join(tmpdir(), 'datagrid-clients-'));
    cpSync(installed.path('tarballs'), directory, { recursive: true });
  });

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  async function run(command: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const folders = [dirname(process.execPath), join(directory, 'global/bin')];
    const options = {
      cwd: directory,
      env: {
        ...process.env,
        PATH: [...folders, process.env['PATH']].join(':'),
        npm_config_prefix: join(directory, 'global'),
        npm_config_prefer_offline: 'true',
        ...env,
      },
    };
    return (await promisify(execFile)('sh', ['-c', command], options)).stdout;
  }

  /** Replaces the placeholders of a program by those of a datagrid with a column `name`. */
  async function filled(program: string): Promise<string> {
    const { api, key } = await app.newAccount();
    const datagrid = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    return new Placeholders({
      'http://localhost:3000': app.origin,
      'mk_…': key,
      '<datagridId>': datagrid.slice('/datagrids/'.length),
    }).toActual(program);
  }

  it('has a program of five lines that runs after the command above it', async () => {
    const install = commands.find((one) => one.startsWith('npm install ./')) ?? '';
    await run(install);
    const [, file = '', command = ''] = /Save it as `(\S+)`, and run `([^`]+)`/.exec(text) ?? [];
    expect(find('js').split('\n')).toHaveLength(5);
    writeFileSync(join(directory, file), await filled(find('js')));
    expect(await run(command)).toBe('1 Zürich\n');
  });

  it('has a command that installs the command line', async () => {
    await run(commands.find((one) => one.startsWith('npm install --global')) ?? '');
    expect(await run('datagrid --version')).toBe('0.1.0\n');
  });

  (EXAMPLE_LANGUAGES.includes('Python') ? it : it.skip)(
    'has a Python program that runs with the package',
    async () => {
      writeFileSync(join(directory, 'rows.py'), await filled(find('python')));
      const env = { PYTHONPATH: join(ROOT, 'packages/python/src') };
      expect(await run('python3 rows.py', env)).toBe('1 Zürich\n');
    },
  );

  it('names the packed files as npm does', () => {
    const files = [...text.matchAll(/\.\/(datagrid-\S+\.tgz)/g)].map(([, name]) => name);
    expect(new Set(files)).toEqual(new Set(readdirSync(installed.path('tarballs'))));
  });
});
