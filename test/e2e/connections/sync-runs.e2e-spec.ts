import { unavailable } from '../../../src/common/error/app-error';
import {
  type Destination,
  DestinationError,
  type SyncState,
  type TargetWriter,
} from '../../../src/destinations/destination';
import type { DestinationAccess } from '../../../src/destinations/destination-kind';
import type { Source } from '../../../src/destinations/source';
import { ImportScheduleService } from '../../../src/scheduled-imports/import-schedule.service';
import { RowSources } from '../../../src/connections/sync/row-source.repository';
import { SyncRepository } from '../../../src/connections/sync/sync.repository';
import { SyncService } from '../../../src/connections/sync/sync.service';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
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

/** Stores changes in parts. Readers see them once they are published, which the test allows. */
class PublishingKind extends FakeKind {
  readonly changesPerStep = 50;
  /** Publishes what waits for it. Missing if nothing does. */
  publish: (() => void) | undefined;
  merges = 0;
  private state: SyncState | null = null;
  private isPublished = true;

  override create(target: DestinationAccess): Destination {
    return { ...super.create(target), open: () => Promise.resolve(this.writer()) };
  }

  forget(): void {
    this.state = null;
  }

  private writer(): TargetWriter {
    const nothing = (): Promise<void> => Promise.resolve();
    const store = (state: SyncState): void => {
      this.state = state;
      this.isPublished = false;
    };
    const writer: Partial<TargetWriter> = {
      claim: () => Promise.resolve(this.state),
      exists: () => Promise.resolve(true),
      beginLoad: nothing,
      append: async (_columns, rows) => {
        for await (const _ of rows);
      },
      finishLoad: (_columns, state) => {
        store(state);
        return nothing();
      },
      merge: async (_columns, rows, state) => {
        for await (const _ of rows);
        this.merges += 1;
        store(state);
      },
      publishSnapshot: async () => {
        if (this.isPublished) return;
        await new Promise<void>((resolve) => {
          this.publish = resolve;
        });
        this.publish = undefined;
        this.isPublished = true;
      },
      close: nothing,
    };
    return writer as TargetWriter;
  }
}

describe('a destination that only one process can write', () => {
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
      const { rows } = await idle.sql.query<{
        id: string;
        connectionId: string;
        accountId: string;
      }>(
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
});

describe('a destination that is published', () => {
  let kind: PublishingKind;
  let app: TestApp;

  beforeAll(async () => {
    kind = new PublishingKind(true);
    // The kind is that of all its connections.
    app = await TestApp.start({ kinds: { postgresql: kind } });
  });

  afterAll(async () => {
    kind.publish?.();
    await app.close();
  });

  /** A datagrid with one row, and its connection. */
  interface Synced {
    readonly create: (count: number) => Promise<void>;
    /** Returns the table of the connection. */
    readonly table: () => Promise<Json>;
    readonly connectionId: string;
    /** Deletes the connection, whose state the next one would find. */
    readonly remove: () => Promise<void>;
  }

  async function newSynced(): Promise<Synced> {
    const { api } = await app.newAccount();
    const workspace = await newWorkspace(api);
    const datagrid = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspace);
    const create = async (count: number): Promise<void> => {
      const rows = Array.from({ length: count }, () => ({ values: { name: 'A' } }));
      dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
    };
    await create(1);
    const connections = `/workspaces/${workspace}/connections`;
    const body = { name: 'A', type: 'postgresql', settings: FAKE_SETTINGS };
    const connectionId = String(dataOf(await api.post(connections, body), 201).id);
    const table = async (): Promise<Json> =>
      (dataOf(await api.get(`${connections}/${connectionId}/tables`), 200) as [Json])[0];
    const remove = async (): Promise<void> => {
      expect((await api.delete(`${connections}/${connectionId}`)).status).toBe(204);
      kind.forget();
    };
    return { create, table, connectionId, remove };
  }

  /** Makes the service start what is due, until a condition holds. */
  const whenStarted = <T>(condition: () => T | undefined): Promise<T> =>
    eventually(async () => {
      await app.nest.get(SyncService, { strict: false }).runOnce();
      return condition();
    });

  it('a table is synced to the revision that readers see, not to one that is stored but not published', async () => {
    const { create, table, remove } = await newSynced();
    const publishLoad = await whenStarted(() => kind.publish);
    expect(await table()).toMatchObject({ status: 'loading', syncedAt: null });
    // To follow these takes more than one step.
    await create(60);
    await create(60);
    publishLoad();
    const publishChanges = await whenStarted(() => kind.publish);
    expect(kind.merges).toBeGreaterThan(1);
    expect(await table()).toMatchObject({ status: 'synced', revision: 1, datagridRevision: 3 });
    publishChanges();
    await eventually(async () => (await table()).revision === 3);
    expect(await table()).toMatchObject({ status: 'synced', lagSeconds: 0 });
    await remove();
  });

  it('a sync for which the service has no room is postponed, and the log says so', async () => {
    const sources = app.nest.get(RowSources, { strict: false });
    const busy = jest.spyOn(sources, 'open').mockRejectedValue(unavailable('Retry later.'));
    try {
      const { connectionId, table, remove } = await newSynced();
      const line = await whenStarted(() =>
        app.logs.find((each) => each.includes('sync postponed') && each.includes(connectionId)),
      );
      expect(JSON.parse(line)).toMatchObject({ level: 'info', reason: 'Retry later.' });
      expect(await table()).toMatchObject({ status: 'waiting', lastError: null });
      await remove();
    } finally {
      busy.mockRestore();
    }
  });
});
