import { BLOCK_ROWS } from '../../src/destinations/destination';
import { csv, deleted, row, set } from './contract-lines';
import { name, TWO, type ContractTables } from './contract-tables';

/** Describes what every destination must do with marked rows. */
export function describeMarks(tables: ContractTables): void {
  const { newTable, load } = tables;

  it('marks rows that a new load does not have, in mode mark', async () => {
    const table = newTable('mark');
    const writer = await load(table, TWO, [
      row(1, 1, 'a', '1'),
      row(2, 2, 'b', '2'),
      row(3, 3, 'c', '3'),
    ]);
    await writer.merge(TWO, csv([deleted(3, 4, TWO)]), 'merged');
    await writer.beginLoad([name], 'again');
    await writer.append([name], csv([row(2, 2, 'b')]), 'part');
    await writer.finishLoad([name], 'reloaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', _deleted_at: true },
      { _id: 2, _revision: 2, name: 'b' },
      { _id: 3, _revision: 4, name: 'c', _deleted_at: true },
    ]);
  });

  it('marks deleted rows and removes the mark of restored ones, in mode mark', async () => {
    const table = newTable('mark');
    const writer = await load(table, TWO, [row(1, 1, 'a', '1'), row(2, 2, 'b', '2')]);
    await writer.merge(
      TWO,
      csv([deleted(1, 3, TWO), deleted(2, 4, TWO), deleted(9, 5, TWO)]),
      'merged',
    );
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 3, name: 'a', count: 1, _deleted_at: true },
      { _id: 2, _revision: 4, name: 'b', count: 2, _deleted_at: true },
    ]);
    await writer.merge(TWO, csv([set(1, 6, 'A', '1')]), 'restored');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 6, name: 'A', count: 1 },
      { _id: 2, _revision: 4, name: 'b', count: 2, _deleted_at: true },
    ]);
  });

  it('marks other rows of a replaced range, in mode mark', async () => {
    const table = newTable('mark');
    const writer = await load(table, TWO, [
      row(1, 1, 'a', '1'),
      row(2, 2, 'b', '2'),
      row(3, 3, 'c', '3'),
    ]);
    await writer.replace(TWO, { from: 1, to: 2 }, csv([row(2, 2, 'B', '2')]), 'replaced');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1, _deleted_at: true },
      { _id: 2, _revision: 2, name: 'B', count: 2 },
      { _id: 3, _revision: 3, name: 'c', count: 3 },
    ]);
  });

  it('sums the rows of each block, without marked ones', async () => {
    const table = newTable('mark');
    const far = 5 * BLOCK_ROWS;
    const writer = await load(table, TWO, [
      row(1, 9_007_199_254_740_991, 'a', '1'),
      row(2, 9_007_199_254_740_991, 'b', '2'),
      row(BLOCK_ROWS - 1, 1, 'c', '3'),
      row(far, 7, 'd', '4'),
      row(far + 1, 8, 'e', '5'),
    ]);
    await writer.merge(TWO, csv([deleted(far + 1, 9, TWO)]), 'merged');
    await expect(writer.sumBlocks()).resolves.toEqual([
      { block: 0, rows: 3, ids: String(BLOCK_ROWS + 2), revisions: '18014398509481983' },
      { block: 5, rows: 1, ids: String(far), revisions: '7' },
    ]);
  });

  it('returns the revisions of the rows of a range, without marked ones', async () => {
    const table = newTable('mark');
    const rows = [1, 2, 3, 4].map((id) => row(id, 10 + id, 'a', String(id)));
    const writer = await load(table, TWO, rows);
    await writer.merge(TWO, csv([deleted(3, 20, TWO)]), 'merged');
    const read = await writer.readRevisions({ from: 2, to: 4 });
    expect(read.sort((one, other) => one.id - other.id)).toEqual([
      { id: 2, revision: 12 },
      { id: 4, revision: 14 },
    ]);
    await expect(writer.readRevisions({ from: 5, to: 9 })).resolves.toEqual([]);
  });
}
