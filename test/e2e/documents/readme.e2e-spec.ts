import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { EXAMPLE_LANGUAGES, examplePath, runExample } from '../../support/example-program';
import { newDatagrid } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const read = (name: string): string => readFileSync(join(__dirname, '../../..', name), 'utf8');
const BLOCKS = fencesOf(read('README.md'));

/** A program of README.md: the language of its block, and the words after which its commands stand. */
const PROGRAMS = [
  { language: 'js', words: /Save it as `(\S+)`, and run `([^`]+)`/ },
  { language: 'python', words: /Save it as `(\S+)`, run `[^`]+`, and then `([^`]+)`/ },
].filter(({ language }) => language !== 'python' || EXAMPLE_LANGUAGES.includes('Python'));

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

  /** Creates a datagrid with four rows, and runs `work` with the values of placeholders. */
  async function withRows(
    work: (placeholders: Placeholders, directory: string) => Promise<void>,
  ): Promise<void> {
    const { api, key } = await app.newAccount();
    const datagrid = await newDatagrid(api, []);
    await api.post(`${datagrid}/rows`, { rows: Array.from({ length: 4 }, () => ({ values: {} })) });
    const directory = await mkdtemp(join(tmpdir(), 'readme-'));
    const known = {
      'http://localhost:3000': app.origin,
      'mk_…': key,
      '/datagrids/…': datagrid,
    };
    try {
      await work(new Placeholders(known), directory);
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  it('shows a call with curl that returns rows', () =>
    withRows(async (placeholders, directory) => {
      const block = BLOCKS.find((one) => one.language === 'sh' && !isCommand(one));
      const printed = await runExample('curl', placeholders.toActual(block?.text ?? ''), directory);
      expect((JSON.parse(printed) as { data: object[] }).data).toHaveLength(3);
    }));

  it.each(PROGRAMS)('shows a $language program that runs as the text says', ({ language, words }) =>
    withRows(async (placeholders, directory) => {
      const [, file = '', command = ''] = words.exec(read('README.md')) ?? [];
      const block = BLOCKS.find((one) => one.language === language);
      await writeFile(join(directory, file), placeholders.toActual(block?.text ?? ''));
      const env = { ...process.env, PATH: examplePath() };
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: directory, env });
      expect(stdout).toBe('3 of 4 rows\n');
    }),
  );
});
