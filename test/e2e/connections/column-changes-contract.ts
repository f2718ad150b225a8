import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DESTINATION_KINDS, type KindsByType } from '../../../src/destinations/destination-kinds';
import type { Destination, TargetTable } from '../../../src/destinations/destination';
import type {
  DestinationAccess,
  DestinationKind,
} from '../../../src/destinations/destination-kind';
import type { ReadRow } from '../../connections/contract-tables';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { ALLOW_LOCAL, listRows, unreadable } from './warehouse';

/** A destination whose columns change. */
export interface ColumnChangesUnderTest {
  readonly type: keyof KindsByType;
  /** Settings of the service. */
  readonly service?: Readonly<Record<string, string>>;
  /** Settings and secret of the connection, and its interval if it must have one. */
  readonly connection: Json;
  /** Returns the rows of a table in the form of `DestinationUnderTest`; `null` if there is none. */
  read(table: string, owner: Member): Promise<readonly ReadRow[] | null>;
  /** Returns what only another table would have different, such as an object id. */
  identify?(table: string): Promise<unknown>;
  close(): Promise<void>;
}

const COLUMNS = [
  { key: 'steady', type: 'integer' },
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
  { key: 'day', type: 'date' },
];
const OLD_ROWS = 40;
const PATIENCE_MS = 240_000;
const POLL_MS = 250;
const SYNC_PAUSE_MS = 2_000;
const WRITE_PAUSE_MS = 20;
/** Number of failures in the message of a failed test. */
const MAX_LINES = 20;

/** How often a destination was told to do something. */
interface Calls {
  loads: number;
  columnChanges: number;
}

/** Counts calls of the destinations of a kind. */
function counting(kind: DestinationKind, calls: Calls): DestinationKind {
  return Object.assign(Object.create(kind) as DestinationKind, {
    create: (target: DestinationAccess): Destination => {
      const destination = kind.create(target);
      return {
        test: () => destination.test(),
        open: async (table: TargetTable) => {
          const writer = await destination.open(table);
          const beginLoad = writer.beginLoad.bind(writer);
          const changeColumns = writer.changeColumns.bind(writer);
          return Object.assign(writer, {
            beginLoad: (...parameters: Parameters<typeof beginLoad>) => {
              calls.loads += 1;
              return beginLoad(...parameters);
            },
            changeColumns: (...parameters: Parameters<typeof changeColumns>) => {
              calls.columnChanges += 1;
              return changeColumns(...parameters);
            },
          });
        },
      };
    },
  });
}

/** Describes what every destination must do if columns change while rows are written and copied. */
export function describeColumnChanges(start: () => Promise<ColumnChangesUnderTest>): void {
  const calls: Calls = { loads: 0, columnChanges: 0 };
  let under: ColumnChangesUnderTest;
  let app: TestApp;
  let owner: Member;
  let connection: string;
  let interval: number | undefined;

  beforeAll(async () => {
    under = await start();
    interval = under.connection.intervalSeconds as number | undefined;
    app = await TestApp.start({ settings: { ...ALLOW_LOCAL, ...under.service } });
    owner = await app.newAccount();
    const kinds = app.nest.get<Record<string, DestinationKind>>(DESTINATION_KINDS, {
      strict: false,
    });
    const kind = kinds[under.type];
    if (kind) kinds[under.type] = counting(kind, calls);
  });

  afterAll(async () => {
    await app.close();
    await under.close();
  });

  const create = async (datagrid: string, count: number, values: Json): Promise<number[]> => {
    const rows = Array.from({ length: count }, () => ({ values }));
    const created = dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201) as Json[];
    return created.map(({ id }) => Number(id));
  };

  /** Returns the rows of the destination as `listRows` returns those of the datagrid. */
  const read = async (table: string): Promise<Json[] | null> => {
    // A file can be written while it is copied.
    const rows = await under.read(table, owner).catch(unreadable);
    return (
      rows?.map(({ _id: id, _revision: revision, ...values }) => {
        const present = Object.entries(values).filter(([, value]) => value !== null);
        return { id, revision, values: Object.fromEntries(present) };
      }) ?? null
    );
  };

  /** Ends the wait of a connection that copies changes at intervals, as each change of it does. */
  const syncNow = async (): Promise<void> => {
    if (interval === undefined) return;
    interval += 1;
    dataOf(await owner.api.patch(connection, { intervalSeconds: interval }), 200);
  };

  /** Waits, and begins syncs more and more seldom: a change of the connection ends the sync in progress. */
  const wait = (isDone: () => Promise<boolean> | boolean): Promise<unknown> => {
    let nextSync = 0;
    let pauseMs = SYNC_PAUSE_MS;
    return eventually(
      async () => {
        if (performance.now() >= nextSync) {
          await syncNow();
          nextSync = performance.now() + pauseMs;
          pauseMs *= 2;
        }
        return isDone();
      },
      PATIENCE_MS,
      POLL_MS,
    ).catch(async (error: unknown) => {
      const { text } = await owner.api.get(`${connection}/tables`);
      throw new Error([String(error), JSON.stringify(calls), text, ...failures()].join('\n'));
    });
  };

  /** Returns the last failures of syncs, and why loads began, in the log of the service. */
  const failures = (): string[] =>
    app.logs.filter((line) => /sync failed|load begun/.test(line)).slice(-MAX_LINES);

  const expectEqual = async (datagrid: string, table: string): Promise<void> => {
    const isEqual = async (): Promise<boolean> =>
      isDeepStrictEqual(await read(table), await listRows(owner.api, datagrid));
    const late = await wait(isEqual).then(
      () => '',
      (error: unknown) => String(error),
    );
    // Shows the difference, and what the connection did.
    expect([await read(table), late]).toEqual([await listRows(owner.api, datagrid), '']);
  };

  const restoreNewest = async (datagrid: string): Promise<void> => {
    const trash = `${datagrid}/trash/columns`;
    const [{ id }] = dataOf(await owner.api.get(trash), 200) as [Json];
    dataOf(await owner.api.post(`${trash}/restore`, { id }), 200);
  };

  it('adds, renames, removes, restores, re-creates and widens columns while rows are written, without a new load', async () => {
    const workspace = await newWorkspace(owner.api);
    const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
    await create(datagrid, OLD_ROWS, { steady: 1, name: 'old', count: 7, day: '2026-11-21' });
    const connections = `/workspaces/${workspace}/connections`;
    const body = { name: 'Warehouse', type: under.type, ...under.connection };
    const { id } = dataOf(await owner.api.post(connections, body), 201);
    connection = `${connections}/${String(id)}`;
    const [{ name: table }] = dataOf(await owner.api.get(`${connection}/tables`), 200) as [
      { name: string },
    ];
    await expectEqual(datagrid, table);
    const before = await under.identify?.(table);
    // A load that fails on a busy machine is begun again.
    const { loads } = calls;
    expect(loads).toBeGreaterThan(0);
    expect(calls.columnChanges).toBe(0);

    const done = new AbortController();
    let writes = 0;
    /**
     * Writes rows of its own and old ones, at a pace that leaves time for syncs. The last half of the old
     * ones is never written again.
     */
    const write = async (first: number): Promise<void> => {
      for (let n = first; !done.signal.aborted; n += 2) {
        await setTimeout(WRITE_PAUSE_MS);
        const [created = 0] = await create(datagrid, 1, { steady: n });
        const old = String(1 + (n % (OLD_ROWS / 2)));
        dataOf(await owner.api.patch(`${datagrid}/rows/${old}`, { values: { steady: -n } }), 200);
        if (n % 3 === 0) await owner.api.delete(`${datagrid}/rows/${String(created)}`);
        writes += 1;
      }
    };
    const writers = [write(0), write(1)];

    /**
     * Changes columns, and waits until the destination has changed them and rows were written. A sync that
     * began to change them may fail on a busy machine, so the destination must also have a later row.
     */
    const change = async (work: () => Promise<void>): Promise<void> => {
      const { columnChanges } = calls;
      const written = writes;
      await work();
      await wait(() => calls.columnChanges > columnChanges && writes > written);
      const { revision } = dataOf(
        await owner.api.post(`${datagrid}/rows`, { values: { steady: 0 } }),
        201,
      );
      await wait(async () => {
        const [state] = dataOf(await owner.api.get(`${connection}/tables`), 200) as [Json];
        return Number(state.revision) >= Number(revision);
      });
    };
    const columns = `${datagrid}/columns`;
    const newest = async (values: Json): Promise<void> => {
      await create(datagrid, 1, values);
      dataOf(await owner.api.patch(`${datagrid}/rows/${String(OLD_ROWS)}`, { values }), 200);
    };
    try {
      await change(async () => {
        dataOf(await owner.api.post(columns, { key: 'extra', type: 'number' }), 201);
        await newest({ extra: 1.5 });
      });
      // A key never changes. A column is renamed by its title, which the destination does not have.
      dataOf(await owner.api.patch(`${columns}/name`, { title: 'Full name' }), 200);
      await change(async () => {
        expect((await owner.api.delete(`${columns}/name`)).status).toBe(204);
        dataOf(await owner.api.post(columns, { key: 'name', type: 'text' }), 201);
        await newest({ name: 'new' });
      });
      await change(async () => {
        dataOf(await owner.api.patch(`${columns}/count`, { type: 'number' }), 200);
        await newest({ count: 0.25 });
      });
      await change(async () => {
        dataOf(await owner.api.patch(`${columns}/day`, { type: 'text' }), 200);
        await newest({ day: 'someday' });
      });
      await change(async () => {
        expect((await owner.api.delete(`${columns}/extra`)).status).toBe(204);
      });
      await change(async () => {
        await restoreNewest(datagrid);
      });
    } finally {
      done.abort();
      await Promise.all(writers);
    }
    await expectEqual(datagrid, table);
    // Removed and restored between two syncs.
    dataOf(await owner.api.patch(connection, { enabled: false }), 200);
    expect((await owner.api.delete(`${columns}/steady`)).status).toBe(204);
    dataOf(await owner.api.put(`${datagrid}/rows/1`, { values: { count: 8 } }), 200);
    await restoreNewest(datagrid);
    dataOf(await owner.api.patch(connection, { enabled: true }), 200);
    await expectEqual(datagrid, table);
    const rows = (await read(table)) ?? [];
    const old = rows.find(({ id: rowId }) => rowId === OLD_ROWS - 1);
    expect(old?.values).toEqual({ steady: 1, count: 7, day: '2026-11-21' });
    const newer = rows.find(({ id: rowId }) => rowId === OLD_ROWS);
    expect(newer?.values).toEqual({
      steady: 1,
      name: 'new',
      count: 0.25,
      day: 'someday',
      extra: 1.5,
    });
    // A failure that begins a load shows why.
    expect([calls.loads, calls.loads === loads ? [] : failures()]).toEqual([loads, []]);
    expect(await under.identify?.(table)).toEqual(before);
  }, 600_000);
}
