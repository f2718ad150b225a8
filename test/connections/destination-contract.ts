import { DELETION_MODES, FencedError, type DeletionMode } from '../../src/destinations/destination';
import { broken, csv, deleted, row, set } from './contract-lines';
import {
  name,
  TWO,
  ContractTables,
  type DestinationUnderTest,
  type ReadRow,
} from './contract-tables';
import { describeColumns } from './column-contract';
import { describeMarks } from './deletion-contract';
import { describeHistory } from './history-contract';
import { describeValues } from './value-contract';

/** Describes what every destination must do. @param modes Modes that it supports. */
export function describeDestination(
  start: () => Promise<DestinationUnderTest>,
  modes: readonly DeletionMode[] = DELETION_MODES,
): void {
  const tables = new ContractTables();
  const { newTable, open, close, load, stateOf } = tables;

  tables.use(start);

  it('passes its own test again and again', async () => {
    await tables.under.destination.test();
    await tables.under.destination.test();
  });

  it('has no state before the first load', async () => {
    const writer = await open(newTable());
    await expect(writer.claim(1)).resolves.toBeNull();
    await expect(writer.exists()).resolves.toBe(false);
  });

  it('keeps a load apart from the target table until it is complete', async () => {
    const table = newTable();
    const writer = await open(table);
    await writer.claim(1);
    await writer.beginLoad(TWO, 'begun');
    await writer.append(TWO, csv([row(1, 1, 'a', '1')]), 'first');
    await expect(tables.under.read(table.name)).resolves.toBeNull();
    await writer.append(TWO, csv([row(2, 1, 'b', '2')]), 'second');
    await writer.append(TWO, csv([]), 'third');
    await writer.finishLoad(TWO, 'loaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1 },
      { _id: 2, _revision: 1, name: 'b', count: 2 },
    ]);
    await expect(writer.exists()).resolves.toBe(true);
  });

  it('continues a load after the last part that it stored', async () => {
    const table = newTable();
    const first = await open(table);
    await first.claim(1);
    await first.beginLoad(TWO, 'begun');
    await first.append(TWO, csv([row(1, 1, 'a', '1')]), 'first');
    await expect(first.append(TWO, broken([row(2, 1, 'b', '2')]), 'second')).rejects.toThrow(
      'The source broke.',
    );
    await close(first);
    const writer = await open(table);
    await expect(writer.claim(2)).resolves.toBe('first');
    await writer.append(TWO, csv([row(2, 1, 'b', '2')]), 'second');
    await writer.finishLoad(TWO, 'loaded');
    await expect(tables.under.read(table.name)).resolves.toHaveLength(2);
  });

  it('begins a load anew', async () => {
    const table = newTable();
    const writer = await open(table);
    await writer.claim(1);
    await writer.beginLoad(TWO, 'begun');
    await writer.append(TWO, csv([row(1, 1, 'a', '1')]), 'first');
    await writer.beginLoad([name], 'again');
    await writer.append([name], csv([row(2, 1, 'b')]), 'second');
    await writer.finishLoad([name], 'loaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 2, _revision: 1, name: 'b' },
    ]);
  });

  it('replaces the rows and columns of a table by those of a new load, at once', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [
      row(1, 1, 'a', '1'),
      row(2, 2, 'b', '2'),
      row(3, 3, 'c', '3'),
    ]);
    const changed = [name, { id: 9, name: 'count', type: 'text' }] as const;
    await writer.beginLoad(changed, 'again');
    await writer.append(
      changed,
      csv([row(2, 2, 'b', 'two'), row(3, 3, 'C', 'three'), row(4, 4, 'd', 'four')]),
      'part',
    );
    await expect(tables.under.read(table.name)).resolves.toHaveLength(3);
    await writer.finishLoad(changed, 'reloaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 2, _revision: 2, name: 'b', count: 'two' },
      { _id: 3, _revision: 3, name: 'C', count: 'three' },
      { _id: 4, _revision: 4, name: 'd', count: 'four' },
    ]);
    await expect(stateOf(writer, table, 2)).resolves.toBe('reloaded');
  });

  it('creates, updates and deletes rows', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [
      row(1, 1, 'a', '1'),
      row(2, 2, 'b', '2'),
      row(3, 3, 'c', '3'),
    ]);
    const changes = [
      set(2, 5, 'B', null),
      deleted(3, 6, TWO),
      set(4, 7, 'd', '4'),
      deleted(9, 8, TWO),
    ];
    await writer.merge(TWO, csv(changes), 'merged');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1 },
      { _id: 2, _revision: 5, name: 'B', count: null },
      { _id: 4, _revision: 7, name: 'd', count: 4 },
    ]);
    await writer.merge(TWO, csv(changes), 'merged again');
    await writer.merge(TWO, csv([]), 'nothing');
    await expect(tables.under.read(table.name)).resolves.toHaveLength(3);
    await expect(stateOf(writer, table, 2)).resolves.toBe('nothing');
  });

  it('keeps rows that are newer than a change', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 10, 'a', '1'), row(2, 20, 'b', '2')]);
    await writer.merge(TWO, csv([set(1, 9, 'old', '0'), deleted(2, 19, TWO)]), 'merged');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 10, name: 'a', count: 1 },
      { _id: 2, _revision: 20, name: 'b', count: 2 },
    ]);
  });

  it('changes neither rows nor state if a change fails', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 1, 'a', '1')]);
    await expect(writer.merge(TWO, broken([set(1, 2, 'A', '2')]), 'merged')).rejects.toThrow(
      'The source broke.',
    );
    await close(writer);
    const next = await open(table);
    await expect(next.claim(2)).resolves.toBe('loaded');
    await expect(
      next.merge(TWO, csv([set(1, 2, 'A', 'not a number')]), 'merged'),
    ).rejects.toThrow();
    await expect(stateOf(next, table, 3)).resolves.toBe('loaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1 },
    ]);
  });

  it('replaces the rows of a range, whatever their revisions', async () => {
    const table = newTable();
    const rows = [1, 2, 3, 4, 5].map((id) => row(id, 10 + id, 'a', String(id)));
    const writer = await load(table, TWO, rows);
    await writer.replace(
      TWO,
      { from: 2, to: 4 },
      csv([row(3, 3, 'b', '33'), row(4, 14, 'a', '4')]),
      'replaced',
    );
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 11, name: 'a', count: 1 },
      { _id: 3, _revision: 3, name: 'b', count: 33 },
      { _id: 4, _revision: 14, name: 'a', count: 4 },
      { _id: 5, _revision: 15, name: 'a', count: 5 },
    ]);
    await expect(stateOf(writer, table, 2)).resolves.toBe('replaced');
  });

  it.each(modes)(
    'keeps rows that are newer than a change, also after older rows have replaced a range, in mode %s',
    async (mode) => {
      const table = newTable(mode);
      const rows = [1, 2, 3, 4, 5].map((id) => row(id, 10 + id, 'a', String(id)));
      const writer = await load(table, TWO, rows);
      const older = [row(3, 3, 'b', '3'), row(4, 4, 'b', '4')];
      await writer.replace(TWO, { from: 3, to: 4 }, csv(older), 'replaced');
      const changes = [
        set(1, 9, 'old', '0'),
        deleted(2, 9, TWO),
        set(3, 2, 'old', '0'),
        set(4, 5, 'new', '4'),
        deleted(5, 20, TWO),
      ];
      await writer.merge(TWO, csv(changes), 'merged');
      const read = await writer.readRevisions({ from: 1, to: 5 });
      expect(read.sort((one, other) => one.id - other.id)).toEqual([
        { id: 1, revision: 11 },
        { id: 2, revision: 12 },
        { id: 3, revision: 3 },
        { id: 4, revision: 5 },
      ]);
    },
  );

  it('stops a worker whose table another one has claimed', async () => {
    const table = newTable();
    const old = await load(table, TWO, [row(1, 1, 'a', '1')]);
    // A destination with one writer at a time closes its file in between.
    await close(old);
    const current = await open(table);
    await expect(current.claim(3)).resolves.toBe('loaded');
    await close(current);
    for (const token of [1, 2, 3]) {
      const late = await open(table);
      const claim = late.claim(token);
      await expect(claim).rejects.toThrow(FencedError);
      await expect(claim).rejects.toMatchObject({ token: 3 });
      await close(late);
    }
    await expect(tables.under.read(table.name)).resolves.toHaveLength(1);
  });

  it('keeps the states of tables apart', async () => {
    const [one, other] = [newTable(), newTable()];
    await close(await load(one, TWO, [row(1, 1, 'a', '1')]));
    await close(await load(other, TWO, [row(2, 1, 'b', '2')]));
    const writer = await open(one);
    await writer.claim(7);
    await writer.merge(TWO, csv([set(3, 2, 'c', '3')]), 'merged');
    await close(writer);
    const second = await open(other);
    await expect(second.claim(2)).resolves.toBe('loaded');
    await expect(tables.under.read(other.name)).resolves.toHaveLength(1);
  });

  it('leaves a table alone that it did not create', async () => {
    const table = newTable();
    await tables.under.createTable(table.name);
    const writer = await open(table);
    await expect(writer.claim(1)).resolves.toBeNull();
    const begun = writer.beginLoad(TWO, 'begun');
    await expect(begun).rejects.toMatchObject({ kind: 'configuration' });
    await expect(begun).rejects.toThrow(table.name);
    await close(writer);
    await expect(tables.under.read(table.name)).resolves.toHaveLength(1);
  });

  it('notices that the target table was dropped, and loads it again', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 1, 'a', '1')]);
    await close(writer);
    await tables.under.dropTable(table.name);
    const next = await open(table);
    const state = tables.under.dropsStates === true ? null : 'loaded';
    await expect(next.claim(2)).resolves.toBe(state);
    await expect(next.exists()).resolves.toBe(false);
    await expect(next.merge(TWO, csv([set(1, 2, 'A', '1')]), 'merged')).rejects.toMatchObject({
      kind: 'inconsistent',
    });
    await close(next);
    const again = await open(table);
    await expect(again.claim(3)).resolves.toBe(state);
    await again.beginLoad(TWO, 'begun');
    await again.append(TWO, csv([row(1, 2, 'A', '1')]), 'part');
    await again.finishLoad(TWO, 'reloaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 2, name: 'A', count: 1 },
    ]);
  });

  it('drops a table with its state', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 1, 'a', '1')]);
    await writer.beginLoad(TWO, 'again');
    await writer.drop();
    await expect(tables.under.read(table.name)).resolves.toBeNull();
    await close(writer);
    const next = await open(table);
    await expect(next.claim(1)).resolves.toBeNull();
  });

  it('loads and merges many rows', async () => {
    const table = newTable();
    const rows = Array.from({ length: 50_000 }, (_, n) =>
      row(n + 1, 1, `name ${String(n)}`, String(n)),
    );
    const writer = await load(table, TWO, rows);
    const changes = Array.from({ length: 5_000 }, (_, n) =>
      n % 2 === 0 ? set(10 * n + 1, 2, 'changed', null) : deleted(10 * n + 1, 2, TWO),
    );
    await writer.merge(TWO, csv(changes), 'merged');
    const read = (await tables.under.read(table.name)) ?? [];
    expect(read).toHaveLength(47_500);
    expect(read.filter((one) => one['name'] === 'changed')).toHaveLength(2_500);
  });

  describeValues(tables);
  describeColumns(tables);
  if (modes.includes('mark')) describeMarks(tables);
  if (modes.includes('history')) {
    const readVersions = async (table: string): Promise<readonly ReadRow[]> =>
      (await tables.under.readVersions?.(table)) ?? [];
    describeHistory({ readVersions, newTable, open, load });
  }
}
