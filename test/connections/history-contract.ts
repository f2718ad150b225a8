import {
  BLOCK_ROWS,
  type DeletionMode,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../../src/destinations/destination';
import { type Cell, csv, deleted, plan, row, set } from './contract-lines';

/** A version of a row. */
type Version = Readonly<Record<string, unknown>>;

/** What the tests of a destination share. */
export interface HistoryContext {
  readonly readVersions: (table: string) => Promise<readonly Version[]>;
  readonly newTable: (deletions: DeletionMode) => TargetTable;
  readonly open: (table: TargetTable) => Promise<TargetWriter>;
  /** Loads a table in one part. The writer keeps the claim with token 1. */
  readonly load: (
    table: TargetTable,
    columns: readonly TargetColumn[],
    rows: readonly (readonly Cell[])[],
  ) => Promise<TargetWriter>;
}

interface Times {
  readonly syncedAt: string;
  /** `null` for the current version. */
  readonly validTo: string | null;
}

/** The versions of a table, and their times in the same order. */
interface Versions {
  readonly rows: readonly Version[];
  readonly times: readonly Times[];
}

const name: TargetColumn = { id: 1, name: 'name', type: 'text' };
const count: TargetColumn = { id: 2, name: 'count', type: 'integer' };
const TWO = [name, count];

/** Describes what every destination that supports `history` must do in this mode. */
export function describeHistory({ readVersions, newTable, open, load }: HistoryContext): void {
  /**
   * Returns the versions in order of their ids and times. A version that is not current has
   * `ended: true`. Fails if two versions of a row overlap.
   */
  async function readHistory(table: TargetTable): Promise<Versions> {
    const read = (await readVersions(table.name)).map((given) => {
      const { _synced_at: syncedAt, _valid_to: validTo, ...values } = given;
      return {
        values: { ...values, ...(validTo !== null && { ended: true }) },
        id: Number(given['_id']),
        revision: Number(given['_revision']),
        times: { syncedAt: syncedAt as string, validTo: validTo as string | null },
      };
    });
    // Versions can begin and end in the same millisecond.
    const endOf = ({ times }: (typeof read)[number]): string => times.validTo ?? '9999';
    read.sort(
      (one, other) =>
        one.id - other.id ||
        endOf(one).localeCompare(endOf(other)) ||
        one.times.syncedAt.localeCompare(other.times.syncedAt) ||
        one.revision - other.revision,
    );
    for (const [index, version] of read.entries()) {
      const { syncedAt, validTo } = version.times;
      if (validTo !== null) expect(validTo >= syncedAt).toBe(true);
      const next = read[index + 1];
      if (next?.id !== version.id) continue;
      expect(validTo).not.toBeNull();
      expect(next.times.syncedAt >= (validTo ?? '')).toBe(true);
    }
    return { rows: read.map(({ values }) => values), times: read.map(({ times }) => times) };
  }

  const newLoaded = async (): Promise<[TargetTable, TargetWriter]> => {
    const table = newTable('history');
    const rows = [row(1, 1, 'a', '1'), row(2, 2, 'b', '2'), row(3, 3, 'c', '3')];
    return [table, await load(table, TWO, rows)];
  };

  it('keeps the versions of rows, and closes those of deleted rows, in mode history', async () => {
    const [table, writer] = await newLoaded();
    const before = await readHistory(table);
    expect(before.times.every(({ validTo }) => validTo === null)).toBe(true);
    const changes = [
      set(2, 5, 'B', null),
      deleted(3, 6, TWO),
      set(4, 7, 'd', '4'),
      deleted(9, 8, TWO),
    ];
    await writer.merge(TWO, csv(changes), 'merged');
    const after = await readHistory(table);
    expect(after.rows).toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1 },
      { _id: 2, _revision: 2, name: 'b', count: 2, ended: true },
      { _id: 2, _revision: 5, name: 'B', count: null },
      { _id: 3, _revision: 3, name: 'c', count: 3, ended: true },
      { _id: 4, _revision: 7, name: 'd', count: 4 },
    ]);
    const [one, old, current, gone] = after.times;
    expect([one, old?.syncedAt, gone?.syncedAt]).toEqual([
      before.times[0],
      before.times[1]?.syncedAt,
      before.times[2]?.syncedAt,
    ]);
    // Each version begins when the one before it ends.
    expect(old?.validTo).toBe(current?.syncedAt);
    await writer.merge(TWO, csv(changes), 'merged again');
    await writer.merge(TWO, csv([]), 'nothing');
    expect(await readHistory(table)).toEqual(after);
  });

  it('adds a version for a row that exists again, in mode history', async () => {
    const [table, writer] = await newLoaded();
    await writer.merge(TWO, csv([deleted(1, 4, TWO), set(2, 5, 'B', '2')]), 'deleted');
    await writer.merge(TWO, csv([set(1, 6, 'a', '1'), deleted(2, 7, TWO)]), 'restored');
    await writer.merge(TWO, csv([deleted(1, 8, TWO), set(2, 9, 'b', '2')]), 'again');
    expect((await readHistory(table)).rows).toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1, ended: true },
      { _id: 1, _revision: 6, name: 'a', count: 1, ended: true },
      { _id: 2, _revision: 2, name: 'b', count: 2, ended: true },
      { _id: 2, _revision: 5, name: 'B', count: 2, ended: true },
      { _id: 2, _revision: 9, name: 'b', count: 2 },
      { _id: 3, _revision: 3, name: 'c', count: 3 },
    ]);
  });

  it('keeps current versions that are newer than a change, in mode history', async () => {
    const table = newTable('history');
    const writer = await load(table, TWO, [
      row(1, 10, 'a', '1'),
      row(2, 20, 'b', '2'),
      row(3, 30, 'c', '3'),
    ]);
    const before = await readHistory(table);
    await writer.merge(TWO, csv([set(1, 9, 'old', '0'), deleted(2, 19, TWO)]), 'merged');
    expect(await readHistory(table)).toEqual(before);
    await writer.merge(TWO, csv([deleted(3, 30, TWO)]), 'deleted');
    expect((await readHistory(table)).rows[2]).toMatchObject({ _id: 3, ended: true });
  });

  it('fills new columns of current versions, which stay the same, in mode history', async () => {
    const [table, writer] = await newLoaded();
    await writer.merge(TWO, csv([set(1, 4, 'A', '1'), deleted(2, 5, TWO)]), 'merged');
    const before = await readHistory(table);
    const added: TargetColumn = { id: 9, name: 'note', type: 'text' };
    await writer.changeColumns(plan({ removed: [count], added: [added] }), 'changed');
    const columns = [name, added];
    const lines = [set(1, 4, 'A', 'x'), set(3, 3, 'c', 'z')];
    await writer.merge(columns, csv(lines), 'rescanned');
    const { rows, times } = await readHistory(table);
    expect(rows).toEqual([
      { _id: 1, _revision: 1, name: 'a', note: null, ended: true },
      { _id: 1, _revision: 4, name: 'A', note: 'x' },
      { _id: 2, _revision: 2, name: 'b', note: null, ended: true },
      { _id: 3, _revision: 3, name: 'c', note: 'z' },
    ]);
    expect(times).toEqual(before.times);
  });

  it('prints the values of all versions of a column that becomes wider, in mode history', async () => {
    const [table, writer] = await newLoaded();
    await writer.merge(TWO, csv([set(1, 4, 'a', '10')]), 'merged');
    const wide: TargetColumn = { ...count, type: 'text' };
    await writer.changeColumns(plan({ widened: [wide] }), 'changed');
    await writer.merge([name, wide], csv([set(1, 5, 'a', 'ten')]), 'merged');
    expect((await readHistory(table)).rows.slice(0, 3)).toEqual([
      { _id: 1, _revision: 1, name: 'a', count: '1', ended: true },
      { _id: 1, _revision: 4, name: 'a', count: '10', ended: true },
      { _id: 1, _revision: 5, name: 'a', count: 'ten' },
    ]);
  });

  it('keeps the versions when the table is loaded again, in mode history', async () => {
    const table = newTable('history');
    const writer = await load(
      table,
      TWO,
      [1, 2, 3, 4, 5].map((id) => row(id, 10 + id, 'a', String(id))),
    );
    await writer.merge(TWO, csv([set(1, 20, 'b', '1'), deleted(5, 21, TWO)]), 'merged');
    const before = await readHistory(table);
    const reload = async (rows: readonly (readonly Cell[])[]): Promise<Versions> => {
      await writer.beginLoad(TWO, 'again');
      await writer.append(TWO, csv(rows), 'part');
      expect((await readHistory(table)).rows.filter((one) => one['ended'] !== true)).toHaveLength(
        4,
      );
      await writer.finishLoad(TWO, 'reloaded');
      return readHistory(table);
    };
    // The same row, another value, a lower revision, none, and one that was deleted before.
    const rows = [
      row(1, 20, 'b', '1'),
      row(2, 12, 'a', null),
      row(3, 3, 'a', '3'),
      row(5, 5, 'a', '5'),
    ];
    const after = await reload(rows);
    expect(after.rows).toEqual([
      { _id: 1, _revision: 11, name: 'a', count: 1, ended: true },
      { _id: 1, _revision: 20, name: 'b', count: 1 },
      { _id: 2, _revision: 12, name: 'a', count: 2, ended: true },
      { _id: 2, _revision: 12, name: 'a', count: null },
      { _id: 3, _revision: 13, name: 'a', count: 3, ended: true },
      { _id: 3, _revision: 3, name: 'a', count: 3 },
      { _id: 4, _revision: 14, name: 'a', count: 4, ended: true },
      { _id: 5, _revision: 15, name: 'a', count: 5, ended: true },
      { _id: 5, _revision: 5, name: 'a', count: 5 },
    ]);
    expect(after.times.slice(0, 2)).toEqual(before.times.slice(0, 2));
    expect(after.times[7]).toEqual(before.times[5]);
    expect(after.times[2]?.validTo).toBe(after.times[3]?.syncedAt);
    expect(after.times[4]?.validTo).toBe(after.times[5]?.syncedAt);
    expect(await reload(rows)).toEqual(after);
  });

  it('fills new columns of versions when the table is loaded again, in mode history', async () => {
    const [table, writer] = await newLoaded();
    await writer.merge(TWO, csv([set(1, 4, 'A', '1')]), 'merged');
    const before = await readHistory(table);
    const added: TargetColumn = { id: 9, name: 'count', type: 'text' };
    const columns = [added, name];
    await writer.beginLoad(columns, 'again');
    await writer.append(columns, csv([row(1, 4, 'one', 'A'), row(2, 2, 'two', 'b')]), 'part');
    await writer.finishLoad(columns, 'reloaded');
    const { rows, times } = await readHistory(table);
    expect(rows).toEqual([
      { _id: 1, _revision: 1, name: 'a', count: null, ended: true },
      { _id: 1, _revision: 4, name: 'A', count: 'one' },
      { _id: 2, _revision: 2, name: 'b', count: 'two' },
      { _id: 3, _revision: 3, name: 'c', count: null, ended: true },
    ]);
    expect(times.slice(0, 3)).toEqual(before.times.slice(0, 3));
    await writer.merge(columns, csv([set(2, 5, 'deux', 'b')]), 'merged');
    expect((await readHistory(table)).rows).toHaveLength(5);
  });

  it('replaces the current versions of a range, in mode history', async () => {
    const table = newTable('history');
    const rows = [1, 2, 3, 4, 5].map((id) => row(id, 10 + id, 'a', String(id)));
    const writer = await load(table, TWO, rows);
    await writer.merge(TWO, csv([deleted(2, 20, TWO)]), 'merged');
    const lines = [row(2, 21, 'b', '2'), row(3, 3, 'b', '33'), row(4, 14, 'a', '4')];
    await writer.replace(TWO, { from: 2, to: 4 }, csv(lines), 'replaced');
    const after = await readHistory(table);
    expect(after.rows).toEqual([
      { _id: 1, _revision: 11, name: 'a', count: 1 },
      { _id: 2, _revision: 12, name: 'a', count: 2, ended: true },
      { _id: 2, _revision: 21, name: 'b', count: 2 },
      { _id: 3, _revision: 13, name: 'a', count: 3, ended: true },
      { _id: 3, _revision: 3, name: 'b', count: 33 },
      { _id: 4, _revision: 14, name: 'a', count: 4 },
      { _id: 5, _revision: 15, name: 'a', count: 5 },
    ]);
    await writer.replace(TWO, { from: 2, to: 4 }, csv(lines), 'again');
    expect(await readHistory(table)).toEqual(after);
    await writer.replace(TWO, { from: 4, to: 9 }, csv([]), 'emptied');
    expect((await readHistory(table)).rows.slice(-2)).toEqual([
      { _id: 4, _revision: 14, name: 'a', count: 4, ended: true },
      { _id: 5, _revision: 15, name: 'a', count: 5, ended: true },
    ]);
    await writer.merge(TWO, csv([set(3, 22, 'c', '3')]), 'merged');
    expect((await readHistory(table)).rows.slice(3, 6)).toEqual([
      { _id: 3, _revision: 13, name: 'a', count: 3, ended: true },
      { _id: 3, _revision: 3, name: 'b', count: 33, ended: true },
      { _id: 3, _revision: 22, name: 'c', count: 3 },
    ]);
  });

  it('sums and returns current versions only, in mode history', async () => {
    const table = newTable('history');
    const far = 5 * BLOCK_ROWS;
    const writer = await load(table, TWO, [
      row(1, 1, 'a', '1'),
      row(2, 2, 'b', '2'),
      row(far, 3, 'c', '3'),
    ]);
    await writer.merge(TWO, csv([set(1, 4, 'A', '1'), deleted(far, 5, TWO)]), 'merged');
    await expect(writer.sumBlocks()).resolves.toEqual([
      { block: 0, rows: 2, ids: '3', revisions: '6' },
    ]);
    const read = await writer.readRevisions({ from: 0, to: BLOCK_ROWS - 1 });
    expect(read.sort((one, other) => one.id - other.id)).toEqual([
      { id: 1, revision: 4 },
      { id: 2, revision: 2 },
    ]);
    await expect(writer.readRevisions({ from: far, to: far + 1 })).resolves.toEqual([]);
  });

  it('has the same versions after another worker has claimed the table, in mode history', async () => {
    const [table, writer] = await newLoaded();
    await writer.merge(TWO, csv([set(1, 4, 'A', '1')]), 'merged');
    const before = await readHistory(table);
    await writer.close();
    const next = await open(table);
    await expect(next.claim(2)).resolves.toBe('merged');
    expect(await readHistory(table)).toEqual(before);
    await next.merge(TWO, csv([set(1, 4, 'A', '1'), set(2, 5, 'B', '2')]), 'next');
    expect((await readHistory(table)).rows).toHaveLength(before.rows.length + 1);
  });
}
