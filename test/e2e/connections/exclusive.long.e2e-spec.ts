import { ImportClaimRepository } from '../../../src/connections/imports/import-claim.repository';
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
  readonly open = new Set<() => void>();
  /** What was opened, in this order. */
  readonly opened: ('sync' | 'import')[] = [];
  /** Maximum number of syncs and imports that were open at the same time. */
  maxOpen = 0;

  override create(target: DestinationAccess): Destination {
    return { ...super.create(target), open: () => this.hold('sync') };
  }

  createSource(): Source {
    return { read: () => this.hold('import') };
  }

  private hold(what: 'sync' | 'import'): Promise<never> {
    return new Promise((_, reject) => {
      const close = (): void => {
        this.open.delete(close);
        reject(new DestinationError('configuration', 'Closed.'));
      };
      this.open.add(close);
      this.opened.push(what);
      this.maxOpen = Math.max(this.maxOpen, this.open.size);
    });
  }
}

let app: TestApp;
let kind: ExclusiveKind;

beforeAll(async () => {
  kind = new ExclusiveKind(true);
  app = await TestApp.start({ kinds: { postgresql: kind } });
});

afterAll(async () => {
  for (const close of kind.open) close();
  await app.close();
});

/** A sync and an import of one connection that are both due. */
async function makeDue(on: TestApp): Promise<void> {
  const owner = await on.newAccount();
  const target = { type: 'postgresql', settings: FAKE_SETTINGS };
  const columns = [{ key: 'code', type: 'text', required: true, unique: true }];
  const importing = await Importing.start(on, owner, target, columns);
  const other = await newDatagrid(owner.api, [], importing.workspace);
  const path = await importing.create({ query: 'SELECT 1 AS code' });
  const datagridIds = [importing.datagridId, other.slice('/datagrids/'.length)];
  dataOf(await owner.api.patch(importing.connection, { datagridIds }), 200);
  expect((await owner.api.post(`${path}/run`)).status).toBe(204);
}

/** Makes the service start what it can start now. */
async function startAll(): Promise<void> {
  await app.nest.get(SyncService, { strict: false }).runOnce();
  await app.nest.get(ImportScheduleService, { strict: false }).runOnce();
}

it('syncs and imports of a destination that only one process can open take turns', async () => {
  await makeDue(app);
  await eventually(() => Promise.resolve(kind.open.size === 1));
  for (const count of [1, 2, 3]) {
    await eventually(async () => {
      await startAll();
      return kind.opened.length >= count;
    });
    await startAll();
    expect(kind.maxOpen).toBe(1);
    for (const close of kind.open) close();
  }
  expect(new Set(kind.opened)).toEqual(new Set(['sync', 'import']));
});

it('a sync and an import that are claimed at the same time do not both get such a destination', async () => {
  const idle = await TestApp.start({ kinds: { postgresql: new ExclusiveKind(true) } });
  try {
    // Only the test claims.
    await idle.stop(SyncService);
    await idle.stop(ImportScheduleService);
    await makeDue(idle);
    const syncs = idle.nest.get(SyncRepository, { strict: false }).claims;
    const imports = idle.nest.get(ImportClaimRepository, { strict: false }).claims;
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const [dueSyncs, dueImports] = await eventually(async () => {
        const due = await Promise.all([syncs.listDue(1), imports.listDue(1)]);
        return due.every(({ length }) => length === 1) && due;
      });
      const [synced, imported] = await Promise.all([
        syncs.claim(dueSyncs),
        imports.claim(dueImports),
      ]);
      expect(synced.length + imported.length).toBe(1);
      for (const claim of synced) await syncs.leave(claim, 0);
      for (const claim of imported) await imports.leave(claim, 0);
    }
  } finally {
    await idle.close();
  }
});
