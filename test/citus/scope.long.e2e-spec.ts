import { Client } from 'pg';
import { SOURCE_FILES } from '../architecture/source-files';
import { describePlain } from '../support/citus-cluster';
import { TestApp } from '../support/test-app';
import { collectStatements, type Collected } from './collect-statements';
import { COORDINATOR_TABLES, distributedTables, referenceTables } from './distribution';
import { OVER_ALL } from './over-all';
import { planOf, readWithoutDatagrid } from './plan';
import { correlatedOnReference, rejectedByCitus, type Places } from './rules';
import { OWN, runEverything, SETTINGS } from './workload';

// Runs everything that the service does with datagrids, possibly on a busy machine.
jest.setTimeout(180_000);

const tables = new Set(distributedTables());
const places: Places = {
  distributed: tables,
  reference: new Set(referenceTables()),
  coordinator: new Set(COORDINATOR_TABLES),
};
const mention = new RegExp(`\\b(${[...tables].join('|')})\\b`);

let app: TestApp;
let client: Client;
let found: readonly Collected[];

beforeAll(async () => {
  const collected = collectStatements();
  app = await TestApp.start({ settings: { ...SETTINGS, QUOTA_ROWS: '1000000' } });
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

// On a cluster, PostgreSQL plans no statement itself: `routing.e2e-spec.ts` checks the plans of Citus.
describePlain('a statement on a distributed table', () => {
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

  it('has only parts that Citus accepts', () => {
    const wrong = found.flatMap(({ text, name = '' }) =>
      rejectedByCitus(text, places).map((what) => `${what} in ${name} ${text}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no subquery that looks up rows by a column of a reference table or the result of a function', async () => {
    const wrong: string[] = [];
    for (const { text, name = '' } of found.filter((each) => mention.test(each.text))) {
      const read = readBy(text);
      if (read === null) continue;
      const correlated = correlatedOnReference(await planOf(client, read), places);
      if (correlated.length > 0) wrong.push(`${correlated.join(', ')} in ${name} ${text}`);
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
    const names = unplanned.map(({ name }) => name);
    expect(names.length < 15 ? [] : names).toEqual([]);
  });
});

describePlain('the check for statements without datagrid_id', () => {
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

describePlain('the check for parts that Citus rejects', () => {
  it.each([
    [
      'UPDATE datagrid_counters SET revision = 1 WHERE datagrid_id = $1 RETURNING now() AS at',
      ['a function in RETURNING that is not immutable'],
    ],
    [
      `INSERT INTO datagrid_views (datagrid_id, updated_at) VALUES ($1, $2) ON CONFLICT (datagrid_id)
       DO UPDATE SET updated_at = excluded.updated_at - interval '1 day'`,
      ['a function after DO UPDATE that is not immutable'],
    ],
    [
      'UPDATE datagrid_columns SET "datagrid_id" = $1, key = $2 WHERE id = $3',
      ['an update of the distribution column'],
    ],
    [
      `WITH gone AS (DELETE FROM datagrid_columns WHERE datagrid_id = $1)
       DELETE FROM datagrids WHERE id = $1`,
      ['writes of tables in different places'],
    ],
    [
      `WITH missed AS (
         SELECT l.webhook_id, l.datagrid_id FROM webhook_lanes l
         JOIN datagrid_counters c ON c.datagrid_id = l.datagrid_id FOR UPDATE OF l
       )
       UPDATE webhook_lanes l SET is_open = true FROM missed
       WHERE l.datagrid_id = missed.datagrid_id`,
      ['a write of the coordinator that reads tables of datagrids'],
    ],
  ])('reports %s', (text, expected) => {
    expect(rejectedByCitus(text, places)).toEqual(expected);
  });

  it.each([
    'UPDATE datagrid_counters SET revision = 1 WHERE datagrid_id = $1 RETURNING revision',
    'UPDATE sessions SET last_used_at = now() WHERE id = $1 RETURNING now()',
    `INSERT INTO webhook_lanes (webhook_id, datagrid_id, revision)
     SELECT $1, c.datagrid_id, c.revision FROM datagrid_counters c WHERE c.datagrid_id = $2`,
    'SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE',
  ])('accepts %s', (text) => {
    expect(rejectedByCitus(text, places)).toEqual([]);
  });

  it('reports a subquery that looks up rows by a column of a reference table', async () => {
    const columns = `SELECT array_agg(k.key) FROM datagrid_columns k WHERE k.datagrid_id =`;
    const datagrid = `FROM datagrids d WHERE d.id = $1`;
    const wrong = await planOf(client, `SELECT (${columns} d.id) ${datagrid}`);
    expect(correlatedOnReference(wrong, places)).toEqual(['datagrid_columns']);
    const right = await planOf(client, `SELECT (${columns} $1) ${datagrid}`);
    expect(correlatedOnReference(right, places)).toEqual([]);
  });
});
