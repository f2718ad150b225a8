import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import type { Database } from '../../platform/database/database';
import { ChangeWatch } from '../change-watch';
import { WorkspaceFeedRepository, type WorkspaceState } from './workspace-feed.repository';
import { WorkspacePoll } from './workspace-poll';

const database = {} as Database;

/** Repository of workspaces with these numbers of datagrids, which records its calls. */
class Repository extends WorkspaceFeedRepository {
  readonly calls: string[][] = [];

  constructor(private readonly sizes: Readonly<Record<string, number>>) {
    super(database);
  }

  override listStates(ids: readonly string[]): Promise<Map<string, WorkspaceState>> {
    this.calls.push([...ids]);
    return Promise.resolve(
      new Map(ids.map((id) => [id, { total: this.sizes[id] ?? 0, state: 'current' }])),
    );
  }

  /** Returns the workspaces that were looked up since the last call. */
  taken(): string[] {
    return this.calls.splice(0).flat();
  }
}

interface Setup {
  readonly poll: WorkspacePoll;
  readonly watch: ChangeWatch;
  readonly repository: Repository;
}

function watching(accounts: Readonly<Record<string, Readonly<Record<string, number>>>>): Setup {
  const watch = new ChangeWatch(new ChangeSignal(database));
  for (const [account, sizes] of Object.entries(accounts)) {
    for (const id of Object.keys(sizes)) watch.workspaces.subscribe(account, id);
  }
  const repository = new Repository(Object.assign({}, ...Object.values(accounts)) as never);
  return { poll: new WorkspacePoll(watch, repository), watch, repository };
}

describe('WorkspacePoll', () => {
  it('lets large workspaces of an account take turns, and reads those of others in each run', async () => {
    const { poll, repository } = watching({
      large: { a: 15_000, b: 15_000, c: 15_000 },
      small: { x: 10, y: 10 },
    });
    await poll.poll();
    repository.taken();
    const runs: string[][] = [];
    for (let run = 0; run < 3; run += 1) {
      await poll.poll();
      runs.push(repository.taken());
    }
    for (const run of runs) expect(run).toEqual(expect.arrayContaining(['x', 'y']));
    expect(runs.map((run) => run.filter((id) => 'abc'.includes(id)).length)).toEqual([1, 1, 1]);
    expect(new Set(runs.flat())).toEqual(new Set(['a', 'b', 'c', 'x', 'y']));
  });

  it('reads a workspace of ten times the limit only in every tenth run', async () => {
    const { poll, repository } = watching({ one: { huge: 200_000 }, other: { x: 10 } });
    // The first run does not know its size.
    await poll.poll();
    repository.taken();
    for (let run = 0; run < 33; run += 1) await poll.poll();
    const taken = repository.taken();
    expect(taken.filter((id) => id === 'huge')).toHaveLength(3);
    expect(taken.filter((id) => id === 'x')).toHaveLength(33);
  });

  it('wakes readers that wait at another state, and no others', async () => {
    const { poll, watch } = watching({ one: {} });
    const { signal } = new AbortController();
    const behind = watch.workspaces.subscribe('one', 'w').wait('earlier', 30_000, signal);
    let isWoken = false;
    const end = new AbortController();
    const current = watch.workspaces.subscribe('one', 'v').wait('current', 30_000, end.signal);
    void current.then((hasChanged) => {
      isWoken = hasChanged;
    });
    await poll.poll();
    await expect(behind).resolves.toBe(true);
    expect(isWoken).toBe(false);
    end.abort();
    await expect(current).resolves.toBe(false);
  });
});
