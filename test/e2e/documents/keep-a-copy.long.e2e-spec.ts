import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { API, type Json } from '../../support/api-client';
import { collect } from '../../support/built-program';
import { fencesOf } from '../../support/document/fence';
import { eventually } from '../../support/eventually';
import { EXAMPLE_LANGUAGES, runExample, startExample } from '../../support/example-program';
import { FaultyProxy } from '../../support/faulty-proxy';
import { dataOf, newDatagrid, NO_ID } from '../../support/fixture';
import { SEED, seededRandom, withSeed } from '../../support/seeded-random';
import { TestApp, type Member } from '../../support/test-app';
import { RandomRows } from './random-rows';

const BLOCKS = fencesOf(readFileSync(join(__dirname, '../../../docs/keep-a-copy.md'), 'utf8'));

/** Returns the blocks of a language, in order. */
const blocksOf = (language: string): string[] =>
  BLOCKS.filter((block) => block.language === language).map(({ text }) => text);

const [python = '', load = ''] = blocksOf('python');
const [typescript = ''] = blocksOf('ts');
const [, , watch = ''] = blocksOf('sh');

/** Steps with random writes and faults, before and after the program has to start over. */
const STEPS = 12;
/** Longer than the program waits before it retries. */
const PATIENCE_MS = 65_000;
const TEST_MS = 300_000;

/** Writes the copy of the Python program in the form of that of the TypeScript program. */
const CONVERT_COPY = `
import json, os, sqlite3
copy = sqlite3.connect(os.environ["COPY"])
rows = copy.execute("SELECT row, is_stale FROM rows").fetchall()
[(cursor, columns)] = copy.execute("SELECT cursor, columns FROM state")
rows = [{**json.loads(row), **({"isStale": True} if stale else {})} for row, stale in rows]
with open("copy.json", "w") as file:
    json.dump({"cursor": cursor, "columns": json.loads(columns), "rows": rows}, file)
`;

interface Variant {
  readonly name: string;
  readonly language: (typeof EXAMPLE_LANGUAGES)[number];
  readonly code: string;
}

const VARIANTS = [
  { name: 'TypeScript', language: 'TypeScript', code: typescript },
  { name: 'Python', language: 'Python', code: python },
  {
    name: 'Python that loads lines',
    language: 'Python',
    code: python.replace(/^failures = 0$/m, `${load}\n\nfailures = 0`),
  },
] satisfies readonly Variant[];

const variants = VARIANTS.filter(({ language }) => EXAMPLE_LANGUAGES.includes(language));

let app: TestApp;
let owner: Member;
let viewer: Member;
let directory: string;
let child: ChildProcess | undefined;
let errors: () => string = () => '';

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  viewer = await app.newUser(owner.accountId, 'viewer');
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keep-a-copy-'));
});

afterEach(async () => {
  await kill();
  await rm(directory, { recursive: true });
});

afterAll(() => app.close());

const idOf = (datagrid: string): string => datagrid.split('/')[2] ?? '';

async function start(
  { language, code }: Variant,
  datagrid: string,
  origin = app.origin,
  { key } = viewer,
): Promise<ChildProcess> {
  const env = { BASE: `${origin}${API}`, KEY: key, GRID: idOf(datagrid) };
  child = await startExample(language, code, directory, env);
  collect(child.stdout);
  errors = collect(child.stderr);
  return child;
}

const hasEnded = (): boolean => child?.exitCode !== null || child.signalCode !== null;

function expectRunning(): void {
  if (hasEnded()) throw new Error(`The program has ended: ${errors()}`);
}

async function kill(): Promise<void> {
  if (!child || hasEnded()) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

interface StoredCopy {
  readonly columns: readonly Json[];
  /** In the order of their ids. */
  readonly rows: readonly Json[];
}

/** @throws Error if there is no copy yet */
async function readCopy({ language }: Variant): Promise<StoredCopy> {
  if (language === 'TypeScript') return readJson(directory);
  const elsewhere = await mkdtemp(join(tmpdir(), 'keep-a-copy-read-'));
  try {
    await runExample('Python', CONVERT_COPY, elsewhere, { COPY: join(directory, 'copy.db') });
    return await readJson(elsewhere);
  } finally {
    await rm(elsewhere, { recursive: true });
  }
}

async function readJson(folder: string): Promise<StoredCopy> {
  const { columns, rows } = JSON.parse(await readFile(join(folder, 'copy.json'), 'utf8'));
  return { columns, rows: Object.values(rows as Json[]).sort((a, b) => a.id - b.id) };
}

async function listRows(datagrid: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await viewer.api.get(`${datagrid}/rows?limit=200&page=${String(page)}`);
    rows.push(...body.data);
    if (page >= body.meta.totalPages) return rows;
  }
}

/** Waits until the copy has the rows and the columns of the datagrid, and no others. */
async function expectInStep(variant: Variant, datagrid: string): Promise<void> {
  const rows = await listRows(datagrid);
  const { columns } = dataOf(await viewer.api.get(datagrid), 200);
  const isInStep = async (): Promise<boolean> =>
    hasEnded() || isDeepStrictEqual((await readCopy(variant)).rows, rows);
  // The comparison below shows the difference.
  await eventually(isInStep, PATIENCE_MS).catch(() => undefined);
  expectRunning();
  const copy = await readCopy(variant);
  expect(copy.rows).toEqual(rows);
  // Only changes have the ids of columns.
  const withIds = (columns as Json[]).map((column) => ({ ...column, id: expect.any(Number) }));
  expect(copy.columns).toEqual(withIds);
}

describe.each(variants)('the program of docs/keep-a-copy.md in $name', (variant) => {
  it(
    'keeps a copy in sync while connections break, it is killed, and changes expire',
    () => withSeed(() => keepInStep(variant)),
    TEST_MS,
  );

  it('stops with the response if the key is not valid', async () => {
    const datagrid = await newDatagrid(owner.api, []);
    const program = await start(variant, datagrid, app.origin, { ...viewer, key: 'mk_wrong' });
    const [code] = await once(program, 'close');
    expect(code).toBe(1);
    expect(errors()).toMatch(/401 .*unauthenticated/);
  });

  it('stops with the response if the datagrid does not exist', async () => {
    const program = await start(variant, `/datagrids/${NO_ID}`);
    const [code] = await once(program, 'close');
    expect(code).toBe(1);
    expect(errors()).toMatch(/404 .*not_found/);
  });
});

async function keepInStep(variant: Variant): Promise<void> {
  const below = seededRandom(SEED);
  const datagrid = await newDatagrid(owner.api, RandomRows.COLUMNS);
  const writes = new RandomRows(owner.api, datagrid, below);
  for (let n = 0; n < 5; n += 1) await writes.create(500);
  const proxy = await FaultyProxy.start(app.port, below);

  const hasEveryFault = (): boolean => Object.values(proxy.faults).every((count) => count > 1);
  const takeSteps = async (isEnough: () => boolean): Promise<void> => {
    for (let step = 0; step < STEPS || !isEnough(); step += 1) {
      const { requests } = proxy;
      for (let n = below(4); n >= 0; n -= 1) await writes.any();
      if (below(4) === 0) proxy.breakAll();
      if (below(4) === 0) {
        await kill();
        proxy.expectNewClient();
        await start(variant, datagrid, proxy.origin);
      }
      if (step === STEPS / 2) await writes.replaceColumn();
      await eventually(() => hasEnded() || proxy.requests > requests, PATIENCE_MS);
      expectRunning();
    }
  };

  try {
    await start(variant, datagrid, proxy.origin);
    await takeSteps(() => true);
    await eventually(async () => {
      const copy = await readCopy(variant).catch(() => undefined);
      return hasEnded() || (copy?.rows ?? []).length > 0;
    }, PATIENCE_MS);
    expectRunning();

    proxy.goDown();
    await writes.deleteSome();
    await writes.replaceColumn();
    await writes.any();
    await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1', [idOf(datagrid)]);
    proxy.goUp();
    await eventually(() => hasEnded() || proxy.statuses.has(410), PATIENCE_MS);
    expectRunning();
    await takeSteps(hasEveryFault);

    proxy.heal();
    await expectInStep(variant, datagrid);
    // The copy has all rows now: no `set` removes the values of the old column.
    await writes.replaceColumn();
    await expectInStep(variant, datagrid);
    await writes.renameColumn();
    await expectInStep(variant, datagrid);
    expect(proxy.earlyRequests).toBe(0);
  } finally {
    await kill();
    await proxy.close();
  }
}

describe('the command of docs/keep-a-copy.md that watches a datagrid', () => {
  it('prints each change when it happens', async () => {
    const datagrid = await newDatagrid(owner.api, RandomRows.COLUMNS);
    const env = { BASE: `${app.origin}${API}`, KEY: viewer.key, GRID: idOf(datagrid) };
    // `exec` replaces the shell, so that the test can kill the command.
    child = await startExample('curl', watch.replace(/^curl /, 'exec curl '), directory, env);
    const printed = collect(child.stdout);
    await eventually(() => printed().includes('"upToDate":true'));
    await new RandomRows(owner.api, datagrid, seededRandom(SEED)).create(1);
    await eventually(() => printed().includes('"op":"set"'));
  });
});
