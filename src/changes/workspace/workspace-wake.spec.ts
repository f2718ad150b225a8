import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import type { Database } from '../../platform/database/database';
import type { Logger } from '../../platform/logging/logger';
import { ChangeWatch, type ChangeSubscription } from '../change-watch';
import { WorkspaceFeedRepository } from './workspace-feed.repository';
import { WorkspaceWake } from './workspace-wake';

/** A database that commits at once. */
const database = {
  onCommit: (then: () => void) => {
    then();
  },
} as unknown as Database;

/** Knows the workspaces of datagrids, which are in the names of these, and counts lookups. */
class Repository extends WorkspaceFeedRepository {
  lookups = 0;
  failure: Error | null = null;

  constructor() {
    super(database);
  }

  override listWorkspaces(
    ids: readonly string[],
  ): ReturnType<WorkspaceFeedRepository['listWorkspaces']> {
    this.lookups += 1;
    if (this.failure) return Promise.reject(this.failure);
    return Promise.resolve(
      ids.map((datagridId) => ({ datagridId, workspaceId: datagridId.split('/')[0] ?? '' })),
    );
  }
}

let signal: ChangeSignal;
let watch: ChangeWatch;
let repository: Repository;
const warnings: unknown[] = [];

beforeEach(() => {
  signal = new ChangeSignal(database);
  watch = new ChangeWatch(new ChangeSignal(database));
  repository = new Repository();
  const logger = { pino: { warn: (...given: unknown[]) => warnings.push(given) } };
  new WorkspaceWake(signal, watch, repository, logger as unknown as Logger);
});

/** Waits for a change, for ten seconds at most. */
const waiting = (reader: ChangeSubscription): Promise<boolean> =>
  reader.wait('seen', 10_000, new AbortController().signal);

describe('a reader that waits for a workspace', () => {
  it('wakes when a datagrid of it has changed, and not for others', async () => {
    const [reader, other] = [
      watch.workspaces.subscribe('account', 'w1'),
      watch.workspaces.subscribe('account', 'w2'),
    ];
    let hasOtherWoken = false;
    void waiting(other).then(() => (hasOtherWoken = true));
    const woken = waiting(reader);
    signal.send('w1/a');
    expect(await woken).toBe(true);
    expect(hasOtherWoken).toBe(false);
    other.close();
    reader.close();
  });

  it('wakes by one lookup of the workspace of each datagrid', async () => {
    const reader = watch.workspaces.subscribe('account', 'w1');
    for (let change = 0; change < 3; change += 1) {
      const woken = waiting(reader);
      signal.send('w1/a');
      expect(await woken).toBe(true);
    }
    expect(repository.lookups).toBe(1);
    reader.close();
  });

  it('wakes at the next change after a lookup that failed', async () => {
    const reader = watch.workspaces.subscribe('account', 'w1');
    repository.failure = new Error('no connection');
    signal.send('w1/a');
    await new Promise(setImmediate);
    expect(warnings).toHaveLength(1);
    repository.failure = null;
    const woken = waiting(reader);
    signal.send('w1/a');
    expect(await woken).toBe(true);
    reader.close();
  });
});

it('Nothing is looked up while nobody waits', async () => {
  signal.send('w1/a');
  await new Promise(setImmediate);
  expect(repository.lookups).toBe(0);
});
