import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToRegexp } from 'path-to-regexp';
import { AccountService } from '../../../src/auth/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { fencesOf, type Fence } from '../../support/document/fence';
import { readPages } from '../../support/document/pages';
import { Placeholders } from '../../support/document/placeholders';
import { play } from '../../support/document/play';
import { Shell } from '../../support/document/shell';
import {
  storyOf,
  type Block,
  type Example,
  type ShownResponse,
} from '../../support/document/story';
import { eventually } from '../../support/eventually';
import { routesOf } from '../../support/routes';
import { SQL_COPIES, TestApp } from '../../support/test-app';

const FOLDER = join(__dirname, '../../../docs/api');
const guides = readPages(FOLDER)
  .map(({ name, text }) => ({ name, ...storyOf(text) }))
  .filter(({ blocks }) => blocks.length > 0);
const isExample = (block: Block | Example): block is Example => 'response' in block;
const examples = guides.flatMap(({ name, blocks }) =>
  blocks.filter(isExample).map((example) => ({ ...example, name })),
);
const QUICK_START = 'quick-start.md';

/** Time limit for all examples together. */
const STORY_MS = 120_000;

let app: TestApp;
let files: string;
const calls: { method: string; path: string }[] = [];
/** Responses by the guide and the line of the example. Rejected if the example did not run. */
const responses = new Map<string, Promise<ShownResponse>>();

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'documents-'));
  app = await TestApp.start({
    // The rate limit that the pages show.
    settings: {
      RATE_LIMIT_REQUESTS: '600',
      CONNECTION_FILES_DIR: files,
      COLUMNAR_DIR: SQL_COPIES,
    },
  });
  app.nest
    .getHttpServer()
    .on('request', ({ method = '', url = '' }: { method?: string; url?: string }) => {
      calls.push({ method, path: new URL(url, app.origin).pathname });
    });
  // Runs all examples, even if only some of the tests are selected.
  for (const { name, blocks } of guides) await follow(name, blocks);
}, STORY_MS);

afterAll(async () => {
  await app.close();
  await rm(files, { recursive: true });
});

/** Creates a key of the owner of an empty account. */
async function newKey(): Promise<string> {
  const accounts = app.nest.get(AccountService);
  const { userId } = await accounts.create('Acme', 'ada@example.com', true);
  return (await app.nest.get(ApiKeyService).create(userId, 'Pipeline', null, 'operator')).key;
}

/** Follows a guide alone: with an empty account, and a shell in which only the key is set. */
async function follow(name: string, blocks: readonly (Block | Example)[]): Promise<void> {
  const placeholders = new Placeholders({
    'http://localhost:3000': app.origin,
    // Start of a replay, which is possible for some days only.
    '2026-11-21T09:15:00Z': new Date().toISOString(),
  });
  const shell = Shell.start({ DATAGRID_API_KEY: await newKey() });
  try {
    for (const block of blocks) {
      if (!isExample(block)) {
        await shell.run(placeholders.toActual(block.script));
        continue;
      }
      if (block.isRepeated) await completeJobs();
      const response = play(block, shell, placeholders);
      responses.set(`${name}:${String(block.line)}`, response);
      await response.catch(() => undefined);
    }
  } finally {
    await shell.end();
  }
}

/** Completes index builds and syncs, because polling over HTTP could exceed the rate limit. */
async function completeJobs(): Promise<void> {
  await app.nest.get(IndexBuildService, { strict: false }).runOnce();
  await eventually(async () => {
    const { rows } = await app.sql.query(
      'SELECT FROM connection_tables WHERE revision IS NULL OR leased_until > now()',
    );
    return rows.length === 0;
  });
}

describe('the examples of each guide in docs/api, run alone on an empty account', () => {
  it.each(
    examples.map((example) => [example.name, example.line, example.script, example] as const),
  )('return the documented responses: %s line %i: %s', async (name, line, _script, example) => {
    expect(await responses.get(`${name}:${String(line)}`)).toEqual(example.response);
  });

  it('call every route', () => {
    expect(responses.size).toBeGreaterThan(100);
    const missing = routesOf(app)
      // An alias of rows.
      .filter(({ path }) => !/\/records\b/.test(path))
      .filter((route) => {
        const { regexp } = pathToRegexp(route.path);
        return !calls.some(({ method, path }) => method === route.method && regexp.test(path));
      });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

describe('the block that sets up the shell', () => {
  const [setUp] = fencesOf(readFileSync(join(FOLDER, 'README.md'), 'utf8'));

  const firstOf = (name: string): Fence | undefined =>
    fencesOf(readFileSync(join(FOLDER, name), 'utf8')).find(({ language }) => language === 'sh');

  it.each(['../keep-a-copy.md', '../receive-webhooks.md'])('is the first one of %s', (name) => {
    expect(firstOf(name)?.text).toBe(setUp?.text);
  });

  it('sets the variables that docs/keep-a-copy.md exports to its programs and to those of docs/keep-copies.md', async () => {
    const text = readFileSync(join(FOLDER, '../keep-a-copy.md'), 'utf8');
    const [first, second] = fencesOf(text).filter(({ language }) => language === 'sh');
    const key = await newKey();
    const shell = Shell.start({ DATAGRID_API_KEY: key });
    try {
      for (const block of [first, second]) {
        await shell.run((block?.text ?? '').replace('http://localhost:3000', app.origin));
      }
      const others = readFileSync(join(FOLDER, '../keep-copies.md'), 'utf8');
      const read = [...`${text}${others}`.matchAll(/(?:environ\[['"]|process\.env\.)(\w+)/g)];
      const names = new Set(read.map(([, name = '']) => name));
      expect([...names].sort()).toEqual(['BASE', 'GRID', 'KEY', 'WORKSPACE']);
      const printed = await shell.run("sh -c 'echo $BASE/datagrids/$GRID $KEY $WORKSPACE'");
      const [url = '', exportedKey, workspaceId] = printed.trim().split(' ');
      const headers = { authorization: `Bearer ${key}` };
      const { data } = (await (await fetch(url, { headers })).json()) as { data: object };
      expect(data).toMatchObject({ workspaceId, name: 'Airports', rowCount: 4 });
      expect(exportedKey).toBe(key);
    } finally {
      await shell.end();
    }
  });

  it.each(guides)('is the first one of $name', ({ name, blocks }) => {
    const first = blocks[0]?.script ?? '';
    if (name === QUICK_START) expect(setUp?.text.startsWith(`${first}\n`)).toBe(true);
    else expect(first).toBe(setUp?.text);
  });
});

describe.each(['sh', 'bash'])(
  'the blocks of the quick start, pasted into %s at once',
  (program) => {
    it('run without an error', async () => {
      const key = await newKey();
      const blocks = guides.find(({ name }) => name === QUICK_START)?.blocks ?? [];
      const shell = Shell.start({ DATAGRID_API_KEY: key }, program);
      try {
        const whole = blocks.map(({ script }) => script).join('\n');
        const printed = await shell.run(whole.replaceAll('http://localhost:3000', app.origin));
        const statusLines = blocks.filter(isExample).map(({ response }) => response.statusLine);
        expect(printed.match(/^HTTP\/.*\w/gm)).toEqual(statusLines);
      } finally {
        await shell.end();
      }
    });
  },
);
