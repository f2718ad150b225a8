import { ChangeRepository } from '../../../src/changes/change.repository';
import type { CsvLines, SyncState } from '../../../src/destinations/destination';
import { RowSources } from '../../../src/connections/sync/row-source.repository';
import { printState, readState, type TableState } from '../../../src/connections/sync/sync-state';
import { type SyncContext, TableSync } from '../../../src/connections/sync/table-sync';
import { DatagridSchemaService } from '../../../src/datagrids/schema/datagrid-schema.service';
import { dataOf, newDatagrid } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';

/** More than a sync of three rows needs. */
const MAX_STEPS = 20;

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

/**
 * Syncs a datagrid of three rows to a destination where each write takes so long that a row is created
 * meanwhile.
 * @param begin Returns the state that the destination has at first.
 * @returns the state after the last step.
 */
async function syncWhileRowsAreCreated(
  begin: (loaded: TableState | null) => TableState | null,
): Promise<TableState | null> {
  const path = await newDatagrid(owner.api, [{ key: 'code', type: 'text' }]);
  const create = async (): Promise<void> => {
    dataOf(await owner.api.post(`${path}/rows`, { values: { code: 'JFK' } }), 201);
  };
  for (let n = 0; n < 3; n += 1) await create();
  const accountId = owner.accountId;
  const datagridId = path.split('/')[2] ?? '';
  const source = await app.nest.get(RowSources, { strict: false }).open({ accountId, datagridId });
  let stored: SyncState | null = null;
  const store = async (lines: CsvLines, state: SyncState): Promise<void> => {
    for await (const _line of lines);
    await create();
    stored = state;
  };
  const writer = {
    claim: () => Promise.resolve(stored),
    exists: () => Promise.resolve(true),
    beginLoad: (_: unknown, state: SyncState) => Promise.resolve((stored = state)),
    append: (_: unknown, lines: CsvLines, state: SyncState) => store(lines, state),
    finishLoad: (_: unknown, state: SyncState) => Promise.resolve((stored = state)),
    merge: (_: unknown, lines: CsvLines, state: SyncState) => store(lines, state),
  };
  const sync = async (maxSteps: number): Promise<void> => {
    let steps = 0;
    await new TableSync({
      table: { accountId, datagridId, token: 1, columnIds: null, request: null, loadedRows: null },
      writer,
      source,
      log: app.nest.get(ChangeRepository, { strict: false }),
      getSchema: () =>
        app.nest.get(DatagridSchemaService, { strict: false }).get(accountId, datagridId),
      onLoad: () => undefined,
      onStep: () => Promise.resolve((steps += 1) < maxSteps),
    } as unknown as SyncContext).run();
  };
  const read = (): TableState | null => readState(stored);
  try {
    await sync(2);
    const state = begin(read());
    stored = state && printState(state);
    await sync(MAX_STEPS);
    return read();
  } finally {
    source.close();
  }
}

describe('the sync of a table while rows are created all the time', () => {
  it('ends its load, because the log has the rows that were created since', async () => {
    const state = await syncWhileRowsAreCreated(() => null);
    expect(state?.phase).toBe('changes');
  });

  it('ends reading all rows again for a new column', async () => {
    const state = await syncWhileRowsAreCreated((loaded) => {
      expect(loaded?.phase).toBe('changes');
      return loaded?.phase === 'changes' ? { ...loaded, rescanAfterId: 0 } : null;
    });
    expect(state).toMatchObject({ phase: 'changes', rescanAfterId: null });
  });
});
