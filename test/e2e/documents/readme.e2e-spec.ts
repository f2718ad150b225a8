import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { eventually } from '../../support/eventually';
import { EXAMPLE_LANGUAGES, runExample, type ExampleLanguage } from '../../support/example-program';
import { inCopy } from '../../connections/duckdb-files';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const read = (name: string): string => readFileSync(join(__dirname, '../../..', name), 'utf8');
const BLOCKS = fencesOf(read('README.md'));

const FENCES: Readonly<Record<ExampleLanguage, string>> = {
  curl: 'sh',
  TypeScript: 'ts',
  Python: 'python',
};

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

/** Queries a copy of a file, because the service cannot write while another process has it open. */
const queryFile = (file: string, query: string): Promise<unknown[][]> =>
  inCopy(file, async (connection) => (await connection.runAndReadAll(query)).getRowsJson());

const isCommand = ({ text }: { text: string }): boolean => text.startsWith('npm ');

describe('README.md', () => {
  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const inText = [...read('README.md').matchAll(/`(npm run (?:-s )?[\w:]+)/g)].map(
      ([, command = '']) => command.replace('-s ', ''),
    );
    const commands = BLOCKS.filter(isCommand).flatMap(({ text }) => text.split(' && '));
    const names = Object.keys(scripts).flatMap((name) => [`npm ${name}`, `npm run ${name}`]);
    expect(commands.length).toBeGreaterThan(2);
    expect([...commands, ...inText].filter((one) => !['npm ci', ...names].includes(one))).toEqual(
      [],
    );
  });

  it.each(EXAMPLE_LANGUAGES)('shows a call in %s that returns rows', async (language) => {
    const { api, key } = await app.newAccount();
    const datagrid = await newDatagrid(api, []);
    await api.post(`${datagrid}/rows`, { rows: Array.from({ length: 4 }, () => ({ values: {} })) });
    const placeholders = new Placeholders({
      'http://localhost:3000': app.origin,
      'mk_…': key,
      '/datagrids/…': datagrid,
    });
    const fence = BLOCKS.find((block) => block.language === FENCES[language] && !isCommand(block));
    const directory = await mkdtemp(join(tmpdir(), 'readme-'));
    try {
      const code = placeholders.toActual(fence?.text ?? '');
      const printed = await runExample(language, code, directory);
      if (language !== 'curl') expect(printed).toBe('3 of 4 rows\n');
      else expect((JSON.parse(printed) as { data: object[] }).data).toHaveLength(3);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('shows how to query a datagrid in a DuckDB file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'readme-'));
    // With the embedded PostgreSQL, this is the default.
    const files = { CONNECTION_FILES_DIR: join(directory, '.data/connections') };
    const withFiles = await TestApp.start({ settings: files });
    try {
      const { api, key, accountId } = await withFiles.newAccount();
      const workspace = await newWorkspace(api);
      const airports = { name: 'Airports', columns: [{ key: 'state', type: 'text' }] };
      const { id } = dataOf(await api.post(`/workspaces/${workspace}/datagrids`, airports), 201);
      const rows = ['AK', 'TX', 'AK'].map((state) => ({ values: { state } }));
      dataOf(await api.post(`/datagrids/${String(id)}/rows`, { rows }), 201);
      const placeholders = new Placeholders({
        'http://localhost:3000': withFiles.origin,
        'mk_…': key,
        '/workspaces/…': `/workspaces/${workspace}`,
      });
      const call = async (part: string): Promise<string> => {
        const block = BLOCKS.find(({ language, text }) => language === 'sh' && text.includes(part));
        return runExample('curl', placeholders.toActual(block?.text ?? ''), directory);
      };
      expect(await call('public/workspaces')).toContain(`"id":"${workspace}"`);
      await call('/connections');
      const python = BLOCKS.find(({ text }) => text.includes('import duckdb'))?.text ?? '';
      const [, path = ''] = /glob\("(.+)"\)/.exec(python) ?? [];
      const [, query = ''] = /\.sql\("(.+)"\)/.exec(python) ?? [];
      const file = join(directory, path.replace('*', accountId));
      const found = await eventually(() => queryFile(file, query).catch(() => undefined));
      expect(found).toEqual([
        ['AK', '2'],
        ['TX', '1'],
      ]);
    } finally {
      await withFiles.close();
      await rm(directory, { recursive: true });
    }
  });
});
