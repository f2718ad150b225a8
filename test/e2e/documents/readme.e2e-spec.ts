import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { EXAMPLE_LANGUAGES, runExample, type ExampleLanguage } from '../../support/example-program';
import { newDatagrid } from '../../support/fixture';
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
});
