import type {
  Destination,
  SyncState,
  TargetWriter,
} from '../../../src/connections/destination/destination';
import type { DestinationAccess } from '../../../src/connections/destination/destination-kind';
import { SyncService } from '../../../src/connections/sync/sync.service';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

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

it('a table is synced to the revision that readers see, not to one that is stored but not published', async () => {
  const kind = new PublishingKind(true);
  const app = await TestApp.start({ kinds: { postgresql: kind } });
  try {
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
    const { id } = dataOf(await api.post(connections, body), 201);
    const table = async (): Promise<Json> =>
      (dataOf(await api.get(`${connections}/${String(id)}/tables`), 200) as [Json])[0];
    const whenPublishing = (): Promise<() => void> =>
      eventually(async () => {
        await app.nest.get(SyncService, { strict: false }).runOnce();
        return kind.publish;
      });

    const publishLoad = await whenPublishing();
    expect(await table()).toMatchObject({ status: 'loading', syncedAt: null });
    // To follow these takes more than one step.
    await create(60);
    await create(60);
    publishLoad();
    const publishChanges = await whenPublishing();
    expect(kind.merges).toBeGreaterThan(1);
    expect(await table()).toMatchObject({ status: 'synced', revision: 1, datagridRevision: 3 });
    publishChanges();
    await eventually(async () => (await table()).revision === 3);
    expect(await table()).toMatchObject({ status: 'synced', lagSeconds: 0 });
  } finally {
    kind.publish?.();
    await app.close();
  }
});
