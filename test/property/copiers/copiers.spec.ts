import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import type { Json } from '../../support/api-client';
import { newDatagrid, newWorkspace } from '../../support/fixture';
import { sampleSize } from '../../support/samples';
import { SEED } from '../../support/seeded-random';
import { type Member, TestApp } from '../../support/test-app';
import { CopierProcess } from './copier-process';
import { ALL_KINDS, anyHistory, type History, Writer } from './history';

/** `SAMPLES=all` runs all. */
const HISTORIES = sampleSize({ few: 8, all: 200 });
const LANES = 6;
/** With fewer histories, a kind of change may not occur. */
const ENOUGH_FOR_EVERY_KIND = 50;

const READ_SQLITE = `
import json, sqlite3, sys
copy = sqlite3.connect(sys.argv[1])
keys = dict(copy.execute("SELECT id, key FROM columns"))
rows = {id: [revision, {}] for id, revision in copy.execute("SELECT id, revision FROM rows")}
for row, column, value in copy.execute('SELECT * FROM cells'):
    rows[row][1][keys[column]] = json.loads(value)
print(json.dumps({"keys": sorted(keys.values()), "rows": sorted(rows.items())}))
`;

interface Copy {
  readonly keys: readonly string[];
  /** ID, revision and values of each row. */
  readonly rows: readonly unknown[];
}

interface Language {
  readonly name: string;
  /** @param directory Directory for a compiled program. */
  readonly program: (directory: string) => readonly string[];
  readonly read: (file: string) => Copy;
}

const TYPESCRIPT: Language = {
  name: 'TypeScript',
  program: (directory) => {
    const compiled = join(directory, 'copier.mjs');
    const { ModuleKind, ScriptTarget } = ts;
    const source = readFileSync(join(__dirname, 'copier.mts'), 'utf8');
    const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
    writeFileSync(compiled, ts.transpileModule(source, { compilerOptions }).outputText);
    return [process.execPath, compiled];
  },
  read: (file) => {
    const { columns, rows }: Json = JSON.parse(readFileSync(file, 'utf8'));
    return {
      keys: (columns as Json[]).map(({ key }): string => key).sort(),
      rows: (rows as Json[])
        .toSorted((one, two) => one.id - two.id)
        .map(({ id, revision, values }) => [id, [revision, values]]),
    };
  },
};

const PYTHON: Language = {
  name: 'Python',
  program: () => ['python3', join(__dirname, 'copier.py')],
  read: (file) =>
    JSON.parse(execFileSync('python3', ['-c', READ_SQLITE, file], { encoding: 'utf8' })) as Copy,
};

let app: TestApp;
let owner: Member;
let workspaceId: string;
let directory: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  workspaceId = await newWorkspace(owner.api);
  directory = mkdtempSync(join(tmpdir(), 'datagrid-copier-'));
});

afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await app.close();
});

let serial = 0;

/** Lets a copier follow a history, and compares its copy with the datagrid at the end. */
async function expectEqual(
  history: History,
  { read }: Language,
  program: readonly string[],
): Promise<void> {
  const columns = [
    { key: 'a', type: 'text' },
    { key: 'b', type: 'integer' },
  ];
  const path = await newDatagrid(owner.api, columns, workspaceId);
  const writer = new Writer(owner.api, path, [...history.steps]);
  if (history.rows > 0) expect(await writer.createRows(history.rows, history.rows)).toBe(201);
  const file = join(directory, `copy-${String((serial += 1))}`);
  const feed = `URL/api/v1/public${path}/changes`;
  const args = [feed, owner.key, file, history.form, String(history.limit)];
  const requests = [...history.requests];
  const copier = await CopierProcess.create(
    app.origin,
    [...program, ...args],
    () => requests.shift(),
    (steps) => writer.make(steps),
  );
  try {
    while (!(await copier.run()) || !writer.isDone) await writer.make(3);
    // All changes have been made, but the last copier may have read before the last of them.
    requests.length = 0;
    while (!(await copier.run()));
  } finally {
    await copier.close();
  }
  expect(read(file)).toEqual(await stateOf(path));
  rmSync(file, { force: true });
  await owner.api.delete(path);
}

async function stateOf(path: string): Promise<Copy> {
  const { columns } = (await owner.api.get(path)).body.data;
  const rows: unknown[] = [];
  for (let cursor: string | null = 'start'; cursor !== null;) {
    const { body } = await owner.api.get(`${path}/rows?limit=200&cursor=${cursor}`);
    for (const { id, revision, values } of body.data as Json[]) rows.push([id, [revision, values]]);
    cursor = body.meta.nextCursor;
  }
  return { keys: (columns as Json[]).map(({ key }): string => key).sort(), rows };
}

/** Runs histories, some at a time. @throws Error with the history whose copy differs. */
async function expectAllEqual(histories: readonly History[], language: Language): Promise<void> {
  let next = 0;
  const program = language.program(directory);
  const lane = async (): Promise<void> => {
    for (;;) {
      const history = histories[next++];
      if (!history) return;
      try {
        await expectEqual(history, language, program);
      } catch (cause) {
        next = histories.length;
        const text = `FUZZ_SEED=${String(SEED)} failed with ${JSON.stringify(history)}`;
        throw new Error(text, { cause });
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

it.each([TYPESCRIPT, PYTHON])(
  'a copier in $name that knows only the documents ends equal after random changes and kills',
  async (language) => {
    Writer.accepted.clear();
    await expectAllEqual(fc.sample(anyHistory, { seed: SEED, numRuns: HISTORIES }), language);
    const made = Object.fromEntries(Writer.accepted);
    const line = { FUZZ_SEED: SEED, histories: HISTORIES, ...made };
    process.stdout.write(`${language.name}: ${JSON.stringify(line)}\n`);
    const missing = ALL_KINDS.filter((kind) => !Writer.accepted.has(kind));
    if (HISTORIES >= ENOUGH_FOR_EVERY_KIND) expect(missing).toEqual([]);
  },
  7_200_000,
);
