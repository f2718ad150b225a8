import { Client } from 'pg';
import { describeCitus } from '../support/citus-cluster';
import { TestApp } from '../support/test-app';
import { collectStatements, type Collected } from './collect-statements';
import { distributedTables } from './distribution';
import { OVER_ALL } from './over-all';
import { OWN, runEverything, SETTINGS } from './workload';

// Creates a database on each node, possibly on a busy machine.
jest.setTimeout(300_000);

const mention = new RegExp(`\\b(${distributedTables().join('|')})\\b`);

interface Routing {
  /** Number of shards that each part of the statement uses. */
  readonly tasks: readonly number[];
  /** Whether Citus runs the statement in parts. */
  readonly isSplit: boolean;
}

/** Statements of the hot path that only read. Citus sends each of them as it is to one node. */
const HOT_READS = [
  'linked-rows',
  ...['row-page', 'row-page-from', 'row-one', 'row-version', 'datagrid-schema-find'],
  ...['change-head', 'change-entries', 'change-rows', 'change-rows-after'],
];

/** Statements of the hot path that write. */
const HOT_WRITES = [
  ...['row-create-unique-indexed', 'row-create-in-unique-indexed', 'row-lock-counter'],
  ...['row-change-indexed', 'row-change-many-indexed', 'row-delete-unique-indexed'],
  ...['counter-lock', 'counter-raise'],
];

/** Citus runs these parts of `admin verify` on the coordinator, and cannot explain them. */
const UNEXPLAINED = /^verify-([\w-]+-repair|counter-create)$/;

/** They lock rows of the coordinator, or one cleanup of a column at a time. */
const OTHER_LOCKS = /^(leftovers|purge|webhook-lane)-/;

describeCitus('a statement on a real Citus cluster', () => {
  let app: TestApp;
  let client: Client;
  let found: readonly Collected[];

  beforeAll(async () => {
    const collected = collectStatements();
    app = await TestApp.start({ settings: SETTINGS });
    await runEverything(app);
    collected.stop();
    found = [...collected.found.values()].filter(
      ({ text }) => !text.startsWith(OWN) && mention.test(text) && !/^\s*COPY/.test(text),
    );
    client = new Client({ connectionString: app.database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await app.close();
  });

  /** Reads from the plan of Citus how it runs a statement. */
  async function routingOf({ text, values }: Collected): Promise<Routing> {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
    const plan = JSON.stringify(rows);
    const tasks = [...plan.matchAll(/"Task Count":(\d+)/g)].map(([, count]) => Number(count));
    return { tasks, isSplit: plan.includes('"Subplans":') };
  }

  async function routingOfNamed(name: string): Promise<Routing | undefined> {
    const statement = found.find((each) => each.name === name);
    return statement && routingOf(statement);
  }

  it('uses one shard in each of its parts, unless it reads all datagrids', async () => {
    expect(found.length).toBeGreaterThan(40);
    const wrong: string[] = [];
    for (const statement of found) {
      const { name = '', text } = statement;
      const mayBe = OVER_ALL.some(([pattern]) => pattern.test(name));
      try {
        const { tasks } = await routingOf(statement);
        if (tasks.some((count) => count !== 1) && !mayBe)
          wrong.push(`${name} ${tasks.join()} ${text}`);
      } catch (error) {
        if (!UNEXPLAINED.test(name)) wrong.push(`${name} ${String(error)} ${text}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keeps the shard on its node if it locks a row, because a row lock alone does not', () => {
    const locks = found.filter(({ text }) => /\bFOR (NO KEY )?UPDATE\b/.test(text));
    const names = locks.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['counter-lock', 'column-lock-counter']));
    const wrong = locks.filter(
      ({ name = '', text }) =>
        !/\bUPDATE datagrid_counters SET\b/.test(text) && !OTHER_LOCKS.test(name),
    );
    expect(wrong.map(({ name, text }) => `${String(name)} ${text}`)).toEqual([]);
  });

  it.each(HOT_READS)('%s is sent as it is to one node', async (name) => {
    expect(await routingOfNamed(name)).toEqual({ tasks: [1], isSplit: false });
  });

  it('is sent as it is to one node for a query with an index, a sort or a search', async () => {
    const queries = found.filter(({ text }) => /\bpage p CROSS JOIN LATERAL\b/.test(text));
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) {
      expect(await routingOf(query)).toEqual({ tasks: [1], isSplit: false });
    }
  });

  it.each(HOT_WRITES)('%s uses one shard', async (name) => {
    const routing = await routingOfNamed(name);
    expect(new Set(routing?.tasks)).toEqual(new Set([1]));
  });
});
