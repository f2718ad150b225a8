import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { requestOf } from '../../support/document/play';
import { newDatagrid } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const read = (name: string): string => readFileSync(join(__dirname, '../../..', name), 'utf8');
const BLOCKS = fencesOf(read('README.md'));

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});

afterAll(() => app.close());

const isCall = ({ text }: { text: string }): boolean => text.startsWith('curl ');

describe('README.md', () => {
  it('calls scripts that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = BLOCKS.filter((block) => !isCall(block)).flatMap(({ text }) =>
      text.split(' && '),
    );
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      expect(['npm ci', ...Object.keys(scripts).map((name) => `npm ${name}`)]).toContain(command);
    }
  });

  it('shows a call that gives rows', async () => {
    const { api, key } = await app.newAccount();
    const datagrid = await newDatagrid(api, []);
    await api.post(`${datagrid}/rows`, { rows: Array.from({ length: 4 }, () => ({ values: {} })) });
    const placeholders = new Placeholders({
      'http://localhost:3000': app.origin,
      'mk_…': key,
      '/datagrids/…': datagrid,
    });
    const calls = BLOCKS.filter(isCall);
    expect(calls).toHaveLength(1);
    for (const { line, text } of calls) {
      const { url, ...request } = requestOf({ line, before: '', script: text }, placeholders);
      const answer = await fetch(url, { method: request.method, headers: request.headers });
      expect([answer.status, ((await answer.json()) as { data: object[] }).data.length]).toEqual([
        200, 3,
      ]);
    }
  });
});
