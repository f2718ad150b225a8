import { Client } from 'pg';
import { SOURCE_FILES } from '../architecture/source-files';
import { TestApp } from '../support/test-app';
import { collectStatements, type Collected } from './collect-statements';
import { distributedTables } from './distribution';
import { planOf, readWithoutDatagrid } from './plan';
import { OWN, runEverything } from './workload';

// Runs everything that the service does with datagrids, possibly on a busy machine.
jest.setTimeout(180_000);

/**
 * Statements that may read all datagrids, with the reason. They run on every node. Only the last
 * three, and the purge of a workspace, run in a request.
 */
const OVER_ALL: readonly (readonly [RegExp, string])[] = [
  [/^index-build-pending$/, 'a background job looks for indexes to build'],
  [/^leftovers-list$/, 'a background job looks for entries that columns no longer need'],
  [/^webhook-lane-(claim-of|open)$/, 'a background job looks for changes to deliver'],
  [/^webhook-state-lanes$/, 'a background job counts lanes for metrics'],
  [/^sync-state-tables$/, 'a background job counts tables of connections for metrics'],
  [/^webhook-undelivered$/, 'purges a workspace, whose webhooks are deleted with it'],
  [/^verify-orphans-/, 'admin verify looks for rows without a datagrid'],
  [
    /^webhook-lanes-add-at-head$/,
    'creates a webhook at the revisions of the datagrids of a workspace',
  ],
  [
    /^workspace-feed-(read|states)$/,
    'compares all datagrids of a workspace with what a reader knows',
  ],
  [/^quota-count-rows$/, 'counts the rows of an account; runs only if QUOTA_ROWS is set'],
];

const tables = new Set(distributedTables());
const mention = new RegExp(`\\b(${[...tables].join('|')})\\b`);

let app: TestApp;
let client: Client;
let found: readonly Collected[];

beforeAll(async () => {
  const collected = collectStatements();
  app = await TestApp.start({ settings: { QUOTA_ROWS: '1000000' } });
  await runEverything(app);
  collected.stop();
  found = [...collected.found.values()].filter(({ text }) => !text.startsWith(OWN));
  client = new Client({ connectionString: app.database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await app.close();
});

/** Returns the statement, or the query of a `COPY … TO`; null for a `COPY … FROM`, which reads nothing. */
function readBy(text: string): string | null {
  const copied = /^\s*COPY \(([^]*)\) TO STDOUT/.exec(text)?.[1];
  if (copied !== undefined) return copied;
  return /^\s*COPY \w+ \([^)]*\bdatagrid_id\b[^)]*\) FROM STDIN/.test(text) ? null : text;
}

describe('a statement on a distributed table', () => {
  it('filters by datagrid_id in the plan of PostgreSQL if it reads', async () => {
    const concerned = found.filter(({ text }) => mention.test(text));
    expect(concerned.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const { text, name = '' } of concerned) {
      const read = readBy(text);
      if (read === null) continue;
      const without = readWithoutDatagrid(await planOf(client, read), tables);
      const mayBe = OVER_ALL.some(([pattern]) => pattern.test(name));
      if (without.length > 0 && !mayBe) wrong.push(`${without.join(', ')} in ${name} ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  it('exists for every listed exception', () => {
    const names = found.map(({ name = '' }) => name);
    const idle = OVER_ALL.filter(([pattern]) => !names.some((name) => pattern.test(name)));
    expect(idle).toEqual([]);
  });

  it('contains datagrid_id if it inserts', () => {
    const insert = new RegExp(`INSERT INTO "?(${[...tables].join('|')})"?\\s*\\(([^)]*)\\)`, 'g');
    const inserts = found.flatMap(({ text }) => [...text.matchAll(insert)]);
    expect(new Set(inserts.map(([, table]) => table)).size).toBeGreaterThan(5);
    const wrong = inserts.filter(([, , columns = '']) => !/\bdatagrid_id\b/.test(columns));
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  it('filters by datagrid_id in the source if the workload does not run it', () => {
    const executed = new Set(found.map(({ name }) => name));
    const unplanned = SOURCE_FILES.flatMap(({ path, text }) =>
      text
        .split(/(?=\bname: ')/)
        .slice(1)
        .map((part) => ({ path, name: /^name: '(\w+-[\w-]+)'/.exec(part)?.[1], part })),
    ).filter(
      ({ path, name, part }) =>
        /\.repository\.ts$|-sql\.ts$/.test(path) &&
        name !== undefined &&
        !executed.has(name) &&
        mention.test(part),
    );
    const wrong = unplanned.filter(({ part }) => !/\bdatagrid_id (= \$\d|IN \()/.test(part));
    expect(wrong.map(({ path, name }) => `${path}: ${String(name)}`)).toEqual([]);
    // The workload must execute most statements, because a plan proves more than their text.
    expect(unplanned.length).toBeLessThan(15);
  });
});

describe('the check for statements without datagrid_id', () => {
  const without = async (text: string): Promise<string[]> =>
    readWithoutDatagrid(await planOf(client, text), tables);

  it.each([
    ['SELECT 1 FROM rows WHERE id = $1', ['rows']],
    ['DELETE FROM row_gaps WHERE block = $1', ['row_gaps']],
    ['UPDATE rows r SET revision = 1 FROM datagrids d WHERE d.account_id = $1', ['rows']],
    [
      `SELECT 1 FROM rows r JOIN unique_values u ON u.row_id = r.id WHERE r.datagrid_id = $1`,
      ['unique_values'],
    ],
  ])('reports %s', async (text, expected) => {
    expect(await without(text)).toEqual(expected);
  });

  it.each([
    'SELECT 1 FROM rows WHERE datagrid_id = $1 AND id > $2',
    `SELECT 1 FROM rows r JOIN unique_values u ON u.row_id = r.id AND u.datagrid_id = r.datagrid_id
     WHERE r.datagrid_id = $1`,
    `SELECT 1 FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
     WHERE d.account_id = $1`,
  ])('accepts %s', async (text) => {
    expect(await without(text)).toEqual([]);
  });
});
