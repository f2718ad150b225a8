import { RepeatedTask } from '../../../src/platform/background/repeated-task';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { PurgeService } from '../../../src/rows/purge/purge.service';
import { newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

/** More rows than the first two steps of a job process, so that it needs three. */
const MANY = 1_000;

/** Records the order of completed jobs and how many index entries the datagrid `watched` still has. */
const WATCH = `
  CREATE TABLE completions (
    place serial, datagrid_id uuid NOT NULL, left_elsewhere bigint NOT NULL
  );
  CREATE TABLE watched (datagrid_id uuid NOT NULL);
  CREATE FUNCTION note_completion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO completions (datagrid_id, left_elsewhere)
      SELECT OLD.datagrid_id, count(*) FROM number_index_entries e JOIN watched USING (datagrid_id);
      RETURN NULL;
    END $$;
  CREATE TRIGGER note_index AFTER UPDATE ON datagrid_columns FOR EACH ROW
    WHEN (OLD.indexed_to >= 0 AND NEW.indexed_to = -1) EXECUTE FUNCTION note_completion();
  CREATE TRIGGER note_purge AFTER DELETE ON datagrid_purges FOR EACH ROW
    EXECUTE FUNCTION note_completion()`;

let app: TestApp;
/** An instance that runs jobs only when it is told to, and whose statements may wait long for locks. */
let replica: TestApp;
let busy: Member;
let other: Member;

beforeAll(async () => {
  app = await TestApp.alone('It runs the jobs of indexes itself.');
  // The replica runs the jobs, once all exist.
  await app.stop(IndexBuildService);
  await app.stop(PurgeService);
  const settings = { LOCK_TIMEOUT_MS: '600000', STATEMENT_TIMEOUT_MS: '600000' };
  const start = jest.spyOn(RepeatedTask.prototype, 'start').mockReturnValue();
  replica = await TestApp.start({ database: app.database, settings });
  expect(start).toHaveBeenCalled();
  start.mockRestore();
  await app.sql.query(WATCH);
  [busy, other] = [await app.newAccount(), await app.newAccount()];
});

beforeEach(() => app.sql.query('TRUNCATE completions, watched'));

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await replica.close();
  await app.close();
});

/** Creates a datagrid with the given number of integer columns and rows, and returns its path. */
async function newNumbers(
  { api }: Member,
  columns: number,
  rows: number,
  properties: object = {},
): Promise<string> {
  const keys = Array.from({ length: columns }, (_, n) => `n${String(n)}`);
  const path = await newDatagrid(
    api,
    keys.map((key) => ({ key, type: 'integer', ...properties })),
  );
  const values = (n: number): object => Object.fromEntries(keys.map((key) => [key, n]));
  const created = await api.post(`${path}/rows`, {
    rows: Array.from({ length: rows }, (_, n) => ({ values: values(n) })),
  });
  expect(created.status).toBe(201);
  return path;
}

const idOf = (path: string): string => path.replace('/datagrids/', '');

/** Sets `indexed` of all columns. */
async function setIndexed({ api }: Member, path: string, indexed: boolean): Promise<void> {
  const { columns } = (await api.get(path)).body.data as { columns: { key: string }[] };
  for (const { key } of columns) {
    expect((await api.patch(`${path}/columns/${key}`, { indexed })).status).toBe(200);
  }
}

/** Deletes a datagrid and purges it from the trash. */
async function purge({ api }: Member, path: string): Promise<void> {
  expect((await api.delete(path)).status).toBe(204);
  expect((await api.delete(`/trash/${idOf(path)}`)).status).toBe(204);
}

/** Runs all background jobs on the replica. */
const runOnReplica = (service: typeof IndexBuildService | typeof PurgeService): Promise<unknown> =>
  replica.nest.get<IndexBuildService | PurgeService>(service, { strict: false }).runOnce();

interface Completion {
  readonly id: string;
  readonly leftElsewhere: number;
}

async function completions(): Promise<Completion[]> {
  const { rows } = await app.sql.query<Completion>(
    `SELECT datagrid_id AS id, left_elsewhere::int AS "leftElsewhere" FROM completions ORDER BY place`,
  );
  return rows;
}

const completedIds = async (): Promise<string[]> => (await completions()).map(({ id }) => id);

describe('an account with one small job behind many large ones of another account', () => {
  it('gets its index before any of the other account’s', async () => {
    const large = await newNumbers(busy, 6, MANY);
    const small = await newNumbers(other, 1, 10);
    await setIndexed(busy, large, true);
    await setIndexed(other, small, true);
    await runOnReplica(IndexBuildService);
    expect(await completedIds()).toEqual([idOf(small), ...Array<string>(6).fill(idOf(large))]);
  });

  it('gets its index before the leftovers of the other account are cleaned up', async () => {
    const large = await newNumbers(busy, 3, MANY, { indexed: true });
    const small = await newNumbers(other, 1, 10);
    await app.sql.query('INSERT INTO watched VALUES ($1)', [idOf(large)]);
    await setIndexed(busy, large, false);
    await setIndexed(other, small, true);
    await runOnReplica(IndexBuildService);
    const [completion, ...more] = await completions();
    expect([completion?.id, more]).toEqual([idOf(small), []]);
    expect(completion?.leftElsewhere).toBeGreaterThan(2 * MANY);
    const entries = 'SELECT FROM number_index_entries WHERE datagrid_id = $1';
    expect((await app.sql.query(entries, [idOf(large)])).rowCount).toBe(0);
  });

  it('gets its index while a write holds the lock that the other account waits for', async () => {
    const large = await newNumbers(busy, 1, 10);
    const small = await newNumbers(other, 1, 10);
    await setIndexed(busy, large, true);
    await setIndexed(other, small, true);
    const holder = await app.sql.connect();
    const lock = 'SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE';
    await holder.query('BEGIN');
    try {
      await holder.query(lock, [idOf(large)]);
      await runOnReplica(IndexBuildService);
      expect(await completedIds()).toEqual([idOf(small)]);
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    await runOnReplica(IndexBuildService);
    expect(await completedIds()).toEqual([idOf(small), idOf(large)]);
  });

  it('has its datagrid purged before any of the other account’s', async () => {
    const large = [await newNumbers(busy, 2, MANY), await newNumbers(busy, 2, MANY)];
    const small = await newNumbers(other, 1, 10);
    for (const path of large) await purge(busy, path);
    await purge(other, small);
    await runOnReplica(PurgeService);
    expect(await completedIds()).toEqual([small, ...large].map(idOf));
  });
});

describe('a purge', () => {
  it('is attributed to the account that had the datagrid', async () => {
    const workspace = await newWorkspace(busy.api);
    const path = await newDatagrid(busy.api, [], workspace);
    expect((await busy.api.delete(`/workspaces/${workspace}?cascade=true`)).status).toBe(204);
    expect((await busy.api.delete(`/trash/${workspace}`)).status).toBe(204);
    const sql = 'SELECT account_id AS "accountId" FROM datagrid_purges WHERE datagrid_id = $1';
    const { rows } = await app.sql.query(sql, [idOf(path)]);
    expect(rows).toEqual([{ accountId: busy.accountId }]);
    await runOnReplica(PurgeService);
  });
});
