import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { createRows, idOf } from './linked-sheets';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

/** Holds the lock of a datagrid as the writes of other callers do, one after the other. */
class Writers {
  private constructor(
    private readonly id: string,
    private release: () => Promise<void>,
  ) {}

  static async start(id: string): Promise<Writers> {
    return new Writers(id, await lock(id));
  }

  /** Changes the columns, and lets those who wait for the lock continue. The next writer waits behind them. */
  async changeColumns(): Promise<void> {
    const waiting = await waitingForLocks(app);
    const next = lock(this.id);
    await eventually(async () => (await waitingForLocks(app)) > waiting);
    await this.release();
    this.release = await next;
  }

  stop(): Promise<void> {
    return this.release();
  }
}

/** Takes the lock, and returns a function that changes the columns' version and releases it. */
async function lock(id: string): Promise<() => Promise<void>> {
  const client = await app.sql.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE', [
    id,
  ]);
  return async () => {
    await client.query(
      'UPDATE datagrid_counters SET schema_version = schema_version + 1 WHERE datagrid_id = $1',
      [id],
    );
    await client.query('COMMIT');
    client.release();
  };
}

async function isLocked(id: string): Promise<boolean> {
  const { rowCount } = await app.sql.query(
    'SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE SKIP LOCKED',
    [id],
  );
  return rowCount === 0;
}

/** Creates two datagrids, and a column of `source` that links to `target`. */
async function newPair(isSourceFirst: boolean): Promise<{ source: string; target: string }> {
  const { api } = team.owner;
  const workspaceId = await newWorkspace(api);
  const columns = [{ key: 'name', type: 'text' }];
  const first = await newDatagrid(api, columns, workspaceId);
  const second = await newDatagrid(api, columns, workspaceId);
  // The ids are in the order of their creation.
  const [source, target] = isSourceFirst ? [first, second] : [second, first];
  const options = { datagridId: idOf(target) };
  dataOf(await api.post(`${source}/columns`, { key: 'link', type: 'link', options }), 201);
  await createRows(api, target, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  return { source, target };
}

const waits = (): Promise<boolean> => eventually(async () => (await waitingForLocks(app)) > 0);

/** Runs a deletion, and returns whether it held its own lock each time it waited for one before it. */
async function locksWhileWaiting(
  remove: (path: string) => Promise<{ readonly status: number }>,
): Promise<boolean[]> {
  const { source, target } = await newPair(true);
  const writers = await Writers.start(idOf(source));
  const deletion = { isDone: false };
  const deleting = remove(target).finally(() => (deletion.isDone = true));
  const locked: boolean[] = [];
  const waitsAgain = (): Promise<boolean> =>
    eventually(async () => deletion.isDone || (await waitingForLocks(app)) > 0);
  while ((await waitsAgain()) && !deletion.isDone) {
    locked.push(await isLocked(idOf(target)));
    await writers.changeColumns();
  }
  await writers.stop();
  expect([200, 204]).toContain((await deleting).status);
  return locked;
}

describe('a deletion while the columns of a datagrid with links change', () => {
  it('starts again, and raises the revision once', async () => {
    const { source, target } = await newPair(false);
    const writers = await Writers.start(idOf(source));
    const before = dataOf(await team.owner.api.get(target), 200).revision as number;
    const deleting = team.owner.api.delete(`${target}/rows/1`);
    await waits();
    await writers.changeColumns();
    await writers.stop();
    expect((await deleting).status).toBe(204);
    expect(dataOf(await team.owner.api.get(target), 200).revision).toBe(before + 1);
    expect(await problemsOf(app)).toEqual([]);
  });

  it.each([
    ['a row', (path: string) => team.owner.api.delete(`${path}/rows/1`)],
    [
      'rows by a filter',
      (path: string) =>
        team.owner.api.post(`${path}/rows/delete`, { filter: { _id: { $in: [1, 2] } } }),
    ],
    [
      'rows of a batch',
      (path: string) =>
        team.owner.api.post(`${path}/rows/batch`, {
          mode: 'atomic',
          operations: [{ op: 'delete', id: 1 }],
        }),
    ],
    [
      'rows by an undo',
      (path: string) => team.owner.api.post(`${path}/rows/undo`, { revision: 1 }),
    ],
  ])('never holds a lock while it waits for one before it, and deletes %s', async (_, remove) => {
    // Now and then the deletion is faster than the next writer, before its last attempt.
    let rounds = 0;
    for (let attempt = 0; attempt < 20 && rounds <= 3; attempt += 1) {
      const locked = await locksWhileWaiting(remove);
      expect(locked).not.toContain(true);
      rounds = locked.length;
    }
    expect(rounds).toBeGreaterThan(3);
    expect(await problemsOf(app)).toEqual([]);
  });
});
