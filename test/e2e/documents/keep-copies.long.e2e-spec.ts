import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { API, type Json } from '../../support/api-client';
import { collect } from '../../support/built-program';
import { fencesOf } from '../../support/document/fence';
import { eventually } from '../../support/eventually';
import { EXAMPLE_LANGUAGES, runExample, startExample } from '../../support/example-program';
import { dataOf, newDatagrid, newWorkspace, NO_ID } from '../../support/fixture';
import { SEED, seededRandom, withSeed } from '../../support/seeded-random';
import { TestApp, type Member } from '../../support/test-app';

const program =
  fencesOf(readFileSync(join(__dirname, '../../../docs/keep-copies.md'), 'utf8'))
    .filter(({ language }) => language === 'python')
    .map(({ text }) => text)
    .find((text) => text.includes('WORKSPACE')) ?? '';

const STEPS = 10;
const TEST_MS = 120_000;
const COLUMNS = [
  { key: 'n', type: 'integer' },
  { key: 'old', type: 'text' },
];

/** Prints the rows of each datagrid in the copy as JSON. */
const PRINT_COPY = `
import json, os, sqlite3
copy = sqlite3.connect(os.environ["COPY"])
copies = {id: [] for [id] in copy.execute("SELECT id FROM datagrids")}
for id, row in copy.execute("SELECT datagrid, row FROM rows ORDER BY datagrid, id"):
    copies.setdefault(id, []).append(json.loads(row))
print(json.dumps(copies))
`;

let app: TestApp;
let owner: Member;
let workspace: string;
let directory: string;
let child: ChildProcess | undefined;
let errors: () => string = () => '';

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

beforeEach(async () => {
  workspace = await newWorkspace(owner.api);
  directory = await mkdtemp(join(tmpdir(), 'keep-copies-'));
});

afterEach(async () => {
  await kill();
  await rm(directory, { recursive: true });
});

afterAll(() => app.close());

const hasEnded = (): boolean => child?.exitCode !== null || child.signalCode !== null;

async function start(id = workspace): Promise<ChildProcess> {
  const env = { BASE: `${app.origin}${API}`, KEY: owner.key, WORKSPACE: id };
  child = await startExample('Python', program, directory, env);
  collect(child.stdout);
  errors = collect(child.stderr);
  return child;
}

async function kill(): Promise<void> {
  if (!child || hasEnded()) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function readCopy(): Promise<Record<string, Json[]>> {
  const elsewhere = await mkdtemp(join(tmpdir(), 'keep-copies-read-'));
  try {
    const env = { COPY: join(directory, 'copies.db') };
    return JSON.parse(await runExample('Python', PRINT_COPY, elsewhere, env));
  } finally {
    await rm(elsewhere, { recursive: true });
  }
}

async function readWorkspace(): Promise<Record<string, Json[]>> {
  const listed = await owner.api.get(`/workspaces/${workspace}/datagrids?limit=200`);
  const copies: Record<string, Json[]> = {};
  for (const { id } of listed.body.data) {
    copies[id] = (await owner.api.get(`/datagrids/${id as string}/rows?limit=200`)).body.data;
  }
  return copies;
}

async function expectInStep(): Promise<void> {
  const actual = await readWorkspace();
  const isInStep = async (): Promise<boolean> =>
    hasEnded() || isDeepStrictEqual(await readCopy().catch(() => null), actual);
  // The comparison below shows the difference.
  await eventually(isInStep).catch(() => undefined);
  if (hasEnded()) throw new Error(`The program has ended: ${errors()}`);
  expect(await readCopy()).toEqual(actual);
}

async function keepInStep(): Promise<void> {
  const below = seededRandom(SEED);
  const datagrids: string[] = [];
  /** Datagrids whose column `old` was removed. */
  const changed = new Set<string>();
  const create = async (): Promise<void> => {
    datagrids.push(await newDatagrid(owner.api, COLUMNS, workspace));
  };
  const any = (): string => datagrids[below(datagrids.length)] ?? '';
  const write = async (datagrid = any()): Promise<void> => {
    const values = { n: below(100), ...(!changed.has(datagrid) && { old: 'x' }) };
    dataOf(await owner.api.post(`${datagrid}/rows`, { values }), 201);
    if (below(3) === 0) await owner.api.delete(`${datagrid}/rows/${String(1 + below(3))}`);
  };
  const remove = async (): Promise<string> => {
    const [removed = ''] = datagrids.splice(below(datagrids.length), 1);
    await owner.api.delete(removed);
    return removed.split('/')[2] ?? '';
  };
  for (let n = 0; n < 12; n += 1) await create();
  await start();
  for (let step = 0; step < STEPS; step += 1) {
    for (let n = below(5); n >= 0; n -= 1) await write();
    if (step % 3 === 0) await create();
    if (step % 4 === 1) {
      const datagrid = any();
      await owner.api.delete(`${datagrid}/columns/old`);
      changed.add(datagrid);
      await create();
    }
    if (step % 4 === 2) await remove();
    if (below(3) === 0) {
      await kill();
      await start();
    }
  }
  await expectInStep();
  const renamed = any();
  dataOf(await owner.api.patch(`${renamed}/columns/n`, { key: 'number' }), 200);
  await expectInStep();

  await kill();
  await owner.api.delete(`/trash/${await remove()}`);
  const [expired = ''] = datagrids;
  await write(expired);
  const id = expired.split('/')[2];
  await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1', [id]);
  await start();
  await expectInStep();
}

const describeIf = EXAMPLE_LANGUAGES.includes('Python') ? describe : describe.skip;

describeIf('the program of docs/keep-copies.md that copies a workspace', () => {
  it(
    'keeps all copies in sync while it is killed, and datagrids are created and deleted',
    () => withSeed(keepInStep),
    TEST_MS,
  );

  it('stops with the status if the workspace does not exist', async () => {
    const [code] = await once(await start(NO_ID), 'close');
    expect(code).toBe(1);
    expect(errors()).toMatch(/404/);
  });
});
