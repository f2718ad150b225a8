import type { TargetColumn } from '../../src/destinations/destination';
import { csv, plan, row, set } from './contract-lines';
import { ALL, COLUMNS, type ContractTables, count, name } from './contract-tables';

/** Describes what every destination must do if columns change. */
export function describeColumns(tables: ContractTables): void {
  const { newTable, load, stateOf } = tables;

  it('shows no value of a removed column in another one with its name, also in marked rows', async () => {
    const table = newTable('mark');
    const writer = await load(table, [name], [row(1, 1, 'a'), row(2, 2, 'b')]);
    const recreated: TargetColumn = { ...name, id: 9 };
    await writer.beginLoad([recreated], 'again');
    await writer.append([recreated], csv([row(2, 3, 'B')]), 'part');
    await writer.finishLoad([recreated], 'reloaded');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: null, _deleted_at: true },
      { _id: 2, _revision: 3, name: 'B' },
    ]);
  });

  it('adds, removes and widens columns and keeps the other values', async () => {
    const table = newTable();
    const writer = await load(table, ALL, [
      row(
        1,
        1,
        'a',
        '1',
        '1.5',
        '1204.50',
        'true',
        '2026-11-21',
        '2026-11-21T09:30:00.123Z',
        '["a"]',
      ),
    ]);
    const recreated: TargetColumn = { id: 9, name: 'name', type: 'integer' };
    const wide: TargetColumn = { ...count, type: 'double' };
    await writer.changeColumns(
      plan({ removed: [name, COLUMNS.tags], widened: [wide], added: [recreated] }),
      'changed',
    );
    const { ratio, price, done, day, at } = COLUMNS;
    const columns = [wide, ratio, price, done, day, at, recreated];
    await writer.merge(
      columns,
      csv([set(2, 2, '1.25', null, null, null, null, null, '7')]),
      'merged',
    );
    const rest = { ratio: null, price: null, done: null, day: null, at: null };
    await expect(tables.under.read(table.name)).resolves.toEqual([
      {
        _id: 1,
        _revision: 1,
        count: 1,
        ratio: 1.5,
        price: expect.stringMatching(/^1204\.50*$/),
        done: true,
        day: '2026-11-21',
        at: '2026-11-21T09:30:00.123Z',
        name: null,
      },
      { _id: 2, _revision: 2, count: 1.25, ...rest, name: 7 },
    ]);
    await expect(stateOf(writer, table, 2)).resolves.toBe('merged');
  });

  it.each(['integer', 'double', 'decimal', 'boolean', 'date', 'timestamp', 'json'] as const)(
    'widens %s to text',
    async (type) => {
      const table = newTable();
      const cells = {
        integer: '5',
        double: '0.1',
        decimal: '1.5',
        boolean: 'true',
        date: '2026-11-21',
        timestamp: '2026-11-21T09:30:00.123Z',
        json: '[1]',
      };
      const from: TargetColumn = { id: 1, name: 'value', type };
      const writer = await load(table, [from], [row(1, 1, cells[type])]);
      const to: TargetColumn = { ...from, type: 'text' };
      await writer.changeColumns(plan({ widened: [to] }), 'changed');
      await writer.merge([to], csv([set(2, 2, 'a')]), 'merged');
      await expect(tables.under.read(table.name)).resolves.toEqual([
        { _id: 1, _revision: 1, value: expect.any(String) },
        { _id: 2, _revision: 2, value: 'a' },
      ]);
    },
  );

  it('replaces a column by an empty one, also if its values do not fit the new type', async () => {
    const table = newTable();
    const from: TargetColumn = { id: 1, name: 'value', type: 'text' };
    const writer = await load(table, [from], [row(1, 1, 'someday'), row(2, 2, '2026-11-21')]);
    const to: TargetColumn = { ...from, type: 'date' };
    await writer.changeColumns(plan({ removed: [from], added: [to] }), 'changed');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, value: null },
      { _id: 2, _revision: 2, value: null },
    ]);
    await writer.merge([to], csv([set(1, 1, '2026-11-22')]), 'merged');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, value: '2026-11-22' },
      { _id: 2, _revision: 2, value: null },
    ]);
  });
}
