import { ImportScheduleService } from '../../../src/connections/imports/import-schedule.service';
import {
  type Destination,
  DestinationError,
} from '../../../src/connections/destination/destination';
import type { DestinationAccess } from '../../../src/connections/destination/destination-kind';
import type { Source } from '../../../src/connections/destination/source';
import { SyncRepository } from '../../../src/connections/sync/sync.repository';
import { SyncService } from '../../../src/connections/sync/sync.service';
import { eventually } from '../../support/eventually';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { Importing } from './importing';

/** A kind whose destinations are open until the test closes them. */
class ExclusiveKind extends FakeKind {
  readonly isExclusive = true;
  /** Ends what is open, one function for each sync or import. */
  readonly open = { sync: new Set<() => void>(), import: new Set<() => void>() };
  /** Maximum number of syncs that were open at the same time, and number of all. */
  readonly syncs = { max: 0, all: 0 };

  override create(target: DestinationAccess): Destination {
    return {
      ...super.create(target),
      open: () => {
        this.syncs.max = Math.max(this.syncs.max, this.open.sync.size + 1);
        this.syncs.all += 1;
        return this.hold('sync');
      },
    };
  }

  createSource(): Source {
    return { read: () => this.hold('import') };
  }

  private hold(what: 'sync' | 'import'): Promise<never> {
    return new Promise((_, reject) => {
      const close = (): void => {
        this.open[what].delete(close);
        reject(new DestinationError('configuration', 'Closed.'));
      };
      this.open[what].add(close);
    });
  }
}

let app: TestApp;
let kind: ExclusiveKind;

const closeAll = (): void => {
  for (const close of [...kind.open.sync, ...kind.open.import]) close();
};

beforeAll(async () => {
  kind = new ExclusiveKind(true);
  app = await TestApp.start({ kinds: { postgresql: kind } });
});

afterAll(async () => {
  closeAll();
  await app.close();
});

/** Syncs of two tables and an import of one connection that are all due. */
async function makeDue(on: TestApp): Promise<void> {
  const owner = await on.newAccount();
  const target = { type: 'postgresql', settings: FAKE_SETTINGS };
  const columns = [{ key: 'code', type: 'text', required: true, unique: true }];
  const importing = await Importing.start(on, owner, target, columns);
  const path = await importing.create({ query: 'SELECT 1 AS code' });
  const grids = [importing.workspace, importing.workspace].map(async (workspace) => {
    const grid = await newDatagrid(owner.api, [], workspace);
    return grid.slice('/datagrids/'.length);
  });
  const datagridIds = await Promise.all(grids);
  dataOf(await owner.api.patch(importing.connection, { datagridIds }), 200);
  expect((await owner.api.post(`${path}/run`)).status).toBe(204);
}

/** Makes the service start what it can start now. */
async function startAll(): Promise<void> {
  await app.nest.get(SyncService, { strict: false }).runOnce();
  await app.nest.get(ImportScheduleService, { strict: false }).runOnce();
}

it('syncs of a destination that only one process can write take turns, and imports run beside them', async () => {
  await makeDue(app);
  await eventually(async () => {
    await startAll();
    return kind.open.sync.size === 1 && kind.open.import.size === 1;
  });
  for (const count of [1, 2]) {
    await eventually(async () => {
      await startAll();
      return kind.syncs.all >= count;
    });
    await startAll();
    expect(kind.syncs.max).toBe(1);
    closeAll();
  }
});

it('two syncs that are claimed at the same time do not both get such a destination', async () => {
  const idle = await TestApp.start({ kinds: { postgresql: new ExclusiveKind(true) } });
  try {
    // Only the test claims.
    await idle.stop(SyncService);
    await idle.stop(ImportScheduleService);
    await makeDue(idle);
    const { rows } = await idle.sql.query<{ id: string; connectionId: string; accountId: string }>(
      `SELECT t.id, t.connection_id AS "connectionId", c.account_id AS "accountId"
      FROM connection_tables t JOIN connections c ON c.id = t.connection_id`,
    );
    expect(rows).toHaveLength(2);
    const { claims } = idle.nest.get(SyncRepository, { strict: false });
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const claimed = await Promise.all(
        rows.map((row) => claims.claim([{ ...row, isExclusive: true }])),
      );
      expect(claimed.flat()).toHaveLength(1);
      // Times of releases are rounded to milliseconds, and can be later than the next claim.
      await idle.sql.query("UPDATE connection_tables SET leased_until = '-infinity'");
    }
  } finally {
    await idle.close();
  }
});
