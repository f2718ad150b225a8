import { randomUUID } from 'node:crypto';
import {
  BLOCK_ROWS,
  DELETION_MODES,
  type DeletionMode,
  type Destination,
  FencedError,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../../src/connections/destination/destination';
import { broken, type Cell, csv, deleted, plan, row, set } from './contract-lines';
import { describeHistory } from './history-contract';

export { csv } from './contract-lines';

/** A row of a target table, as a reader of the destination sees it, without `_synced_at`. */
export type ReadRow = Readonly<Record<string, unknown>>;

/** A destination under test, with direct access to what it holds. */
export interface DestinationUnderTest {
  readonly destination: Destination;
  /** Whether the state is in the target table, so that it is gone with it. */
  readonly dropsStates?: boolean;
  /**
   * Returns the rows of a table in order of their ids; `null` if there is no such table. Integers up
   * to 2^53 and doubles are numbers, decimals are texts, dates and times are ISO texts in UTC with
   * milliseconds, and JSON is parsed. `_deleted_at` is `true` if it has a value, and otherwise absent.
   */
  read(table: string): Promise<readonly ReadRow[] | null>;
  /**
   * Returns all versions of rows of a table of mode `history`, in any order and in the form of `read`,
   * with `_synced_at` and `_valid_to` as times, or `null`. Missing if the kind lacks this mode.
   */
  readVersions?(table: string): Promise<readonly ReadRow[]>;
  /** Drops a table, as its owner could. */
  dropTable(table: string): Promise<void>;
  /** Creates a table with an integer column `id` and one row, which has nothing to do with syncs. */
  createTable(table: string): Promise<void>;
  close(): Promise<void>;
}

const COLUMNS = {
  name: { id: 1, name: 'name', type: 'text' },
  count: { id: 2, name: 'count', type: 'integer' },
  ratio: { id: 3, name: 'ratio', type: 'double' },
  price: { id: 4, name: 'price', type: 'decimal' },
  done: { id: 5, name: 'done', type: 'boolean' },
  day: { id: 6, name: 'day', type: 'date' },
  at: { id: 7, name: 'at', type: 'timestamp' },
  tags: { id: 8, name: 'tags', type: 'json' },
} satisfies Record<string, TargetColumn>;

const ALL = Object.values(COLUMNS);
const { name, count } = COLUMNS;
const TWO = [name, count];

/** Describes what every destination must do. @param modes Modes that it supports. */
export function describeDestination(
  start: () => Promise<DestinationUnderTest>,
  modes: readonly DeletionMode[] = DELETION_MODES,
): void {
  let under: DestinationUnderTest;
  let serial = 0;
  const writers = new Set<TargetWriter>();

  beforeAll(async () => {
    under = await start();
  });

  afterEach(async () => {
    for (const writer of writers) await writer.close();
    writers.clear();
  });

  afterAll(() => under.close());

  const newTable = (deletions: DeletionMode = 'delete'): TargetTable => {
    serial += 1;
    return { id: randomUUID(), name: `table_${String(serial)}`, deletions };
  };

  const open = async (table: TargetTable): Promise<TargetWriter> => {
    const writer = await under.destination.open(table);
    writers.add(writer);
    return writer;
  };

  const close = async (writer: TargetWriter): Promise<void> => {
    writers.delete(writer);
    await writer.close();
  };

  /** Loads a table in one part. The writer keeps the claim with token 1. */
  const load = async (
    table: TargetTable,
    columns: readonly TargetColumn[],
    rows: readonly (readonly Cell[])[],
  ): Promise<TargetWriter> => {
    const writer = await open(table);
    await writer.claim(1);
    await writer.beginLoad(columns, 'begun');
    await writer.append(columns, csv(rows), 'appended');
    await writer.finishLoad(columns, 'loaded');
    return writer;
  };

  const stateOf = async (
    writer: TargetWriter,
    table: TargetTable,
    token: number,
  ): Promise<SyncState | null> => {
    await close(writer);
    const next = await open(table);
    return next.claim(token);
  };

  it('passes its own test again and again', async () => {
    await under.destination.test();
    await under.destination.test();
  });

  it('has no state before the first load', async () => {
    const writer = await open(newTable());
    await expect(writer.claim(1)).resolves.toBeNull();
    await expect(writer.exists()).resolves.toBe(false);
  });

  it('stores every type exactly', async () => {
    const table = newTable();
    await load(table, ALL, [
      row(
        1,
        5,
        'plain',
        '1',
        '1.5',
        '1204.50',
        'true',
        '2026-11-21',
        '2026-11-21T09:30:00.123Z',
        '["a"]',
      ),
      row(2, 6, null, null, null, null, null, null, null, null),
      row(3, 7, '', '0', '0', '0', 'false', '0001-01-01', '0001-01-01T00:00:00.000Z', '{}'),
      row(
        4,
        8,
        '\\N',
        '-9007199254740991',
        '-0.1',
        '-0.000000000000000001',
        'true',
        '9999-12-31',
        '9999-12-31T23:59:59.999Z',
        '{"a":"\\"\\n,"}',
      ),
      row(
        5,
        9,
        'a,"b"\nc\r\n;\\N\\.',
        '9007199254740991',
        '1.7976931348623157e308',
        '99999999999999999999.999999999999999999',
        'true',
        '2024-02-29',
        '1969-12-31T23:59:59.001Z',
        'null',
      ),
      row(
        6,
        10,
        '\\.',
        '1',
        '5e-324',
        '12345678901234567890123456789012345678',
        'false',
        '1970-01-01',
        '1970-01-01T00:00:00.000Z',
        '[1.50, 12345678901234567890]',
      ),
      row(
        7,
        11,
        ' ünïcode 😀\u0001\t',
        '1',
        '1e21',
        '1',
        'false',
        '1970-01-01',
        '1970-01-01T00:00:00.000Z',
        '"NULL"',
      ),
      row(8, 12, 'NULL', '1', '1', '1', 'false', '1970-01-01', '1970-01-01T00:00:00.000Z', '1'),
      row(
        9,
        13,
        '\n',
        '1',
        '1',
        '1',
        'false',
        '1970-01-01',
        '1970-01-01T00:00:00.000Z',
        '"\\u0041"',
      ),
    ]);
    const decimal = (text: string): Record<string, unknown> => ({
      price: expect.stringMatching(new RegExp(`^${text.replace('.', '\\.')}(?:\\.?0*)$`)),
    });
    const read = await under.read(table.name);
    expect(read).toEqual([
      {
        _id: 1,
        _revision: 5,
        name: 'plain',
        count: 1,
        ratio: 1.5,
        ...decimal('1204.5'),
        done: true,
        day: '2026-11-21',
        at: '2026-11-21T09:30:00.123Z',
        tags: ['a'],
      },
      {
        _id: 2,
        _revision: 6,
        name: null,
        count: null,
        ratio: null,
        price: null,
        done: null,
        day: null,
        at: null,
        tags: null,
      },
      {
        _id: 3,
        _revision: 7,
        name: '',
        count: 0,
        ratio: 0,
        ...decimal('0'),
        done: false,
        day: '0001-01-01',
        at: '0001-01-01T00:00:00.000Z',
        tags: {},
      },
      {
        _id: 4,
        _revision: 8,
        name: '\\N',
        count: -9007199254740991,
        ratio: -0.1,
        ...decimal('-0.000000000000000001'),
        done: true,
        day: '9999-12-31',
        at: '9999-12-31T23:59:59.999Z',
        tags: { a: '"\n,' },
      },
      {
        _id: 5,
        _revision: 9,
        name: 'a,"b"\nc\r\n;\\N\\.',
        count: 9007199254740991,
        ratio: 1.7976931348623157e308,
        ...decimal('99999999999999999999.999999999999999999'),
        done: true,
        day: '2024-02-29',
        at: '1969-12-31T23:59:59.001Z',
        tags: null,
      },
      {
        _id: 6,
        _revision: 10,
        name: '\\.',
        count: 1,
        ratio: 5e-324,
        ...decimal('12345678901234567890123456789012345678'),
        done: false,
        day: '1970-01-01',
        at: '1970-01-01T00:00:00.000Z',
        tags: [1.5, Number('12345678901234567890')],
      },
      {
        _id: 7,
        _revision: 11,
        name: ' ünïcode 😀\u0001\t',
        count: 1,
        ratio: 1e21,
        ...decimal('1'),
        done: false,
        day: '1970-01-01',
        at: '1970-01-01T00:00:00.000Z',
        tags: 'NULL',
      },
      {
        _id: 8,
        _revision: 12,
        name: 'NULL',
        count: 1,
        ratio: 1,
        ...decimal('1'),
        done: false,
        day: '1970-01-01',
        at: '1970-01-01T00:00:00.000Z',
        tags: 1,
      },
      {
        _id: 9,
        _revision: 13,
        name: '\n',
        count: 1,
        ratio: 1,
        ...decimal('1'),
        done: false,
        day: '1970-01-01',
        at: '1970-01-01T00:00:00.000Z',
        tags: 'A',
      },
    ]);
  });

  it('takes names of columns and tables that need quotes', async () => {
    const table = { ...newTable(), name: `Order "${String(serial)}" été` };
    const columns: TargetColumn[] = [
      { id: 1, name: 'select', type: 'text' },
      { id: 2, name: 'A "quoted" name', type: 'integer' },
      { id: 3, name: "it's", type: 'text' },
    ];
    const writer = await load(table, columns, [row(1, 1, 'a', '1', 'b')]);
    await writer.merge(columns, csv([set(2, 2, 'c', '2', 'd')]), 'merged');
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, select: 'a', 'A "quoted" name': 1, "it's": 'b' },
      { _id: 2, _revision: 2, select: 'c', 'A "quoted" name': 2, "it's": 'd' },
    ]);
  });

  it('keeps a load apart from the target table until it is complete', async () => {
    const table = newTable();
    const writer = await open(table);
    await writer.claim(1);
    await writer.beginLoad(TWO, 'begun');
    await writer.append(TWO, csv([row(1, 1, 'a', '1')]), 'first');
    await expect(under.read(table.name)).resolves.toBeNull();
    await writer.append(TWO, csv([row(2, 1, 'b', '2')]), 'second');
    await writer.append(TWO, csv([]), 'third');
    await writer.finishLoad(TWO, 'loaded');
    await expect(under.read(table.name)).resolves.toEqual([
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
    await expect(under.read(table.name)).resolves.toHaveLength(2);
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
    await expect(under.read(table.name)).resolves.toEqual([{ _id: 2, _revision: 1, name: 'b' }]);
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
    await expect(under.read(table.name)).resolves.toHaveLength(3);
    await writer.finishLoad(changed, 'reloaded');
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 2, _revision: 2, name: 'b', count: 'two' },
      { _id: 3, _revision: 3, name: 'C', count: 'three' },
      { _id: 4, _revision: 4, name: 'd', count: 'four' },
    ]);
    await expect(stateOf(writer, table, 2)).resolves.toBe('reloaded');
  });

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
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', _deleted_at: true },
      { _id: 2, _revision: 2, name: 'b' },
      { _id: 3, _revision: 4, name: 'c', _deleted_at: true },
    ]);
  });

  it('shows no value of a removed column in another one with its name, also in marked rows', async () => {
    const table = newTable('mark');
    const writer = await load(table, [name], [row(1, 1, 'a'), row(2, 2, 'b')]);
    const recreated: TargetColumn = { ...name, id: 9 };
    await writer.beginLoad([recreated], 'again');
    await writer.append([recreated], csv([row(2, 3, 'B')]), 'part');
    await writer.finishLoad([recreated], 'reloaded');
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: null, _deleted_at: true },
      { _id: 2, _revision: 3, name: 'B' },
    ]);
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
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1 },
      { _id: 2, _revision: 5, name: 'B', count: null },
      { _id: 4, _revision: 7, name: 'd', count: 4 },
    ]);
    await writer.merge(TWO, csv(changes), 'merged again');
    await writer.merge(TWO, csv([]), 'nothing');
    await expect(under.read(table.name)).resolves.toHaveLength(3);
    await expect(stateOf(writer, table, 2)).resolves.toBe('nothing');
  });

  it('keeps rows that are newer than a change', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 10, 'a', '1'), row(2, 20, 'b', '2')]);
    await writer.merge(TWO, csv([set(1, 9, 'old', '0'), deleted(2, 19, TWO)]), 'merged');
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 10, name: 'a', count: 1 },
      { _id: 2, _revision: 20, name: 'b', count: 2 },
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
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 3, name: 'a', count: 1, _deleted_at: true },
      { _id: 2, _revision: 4, name: 'b', count: 2, _deleted_at: true },
    ]);
    await writer.merge(TWO, csv([set(1, 6, 'A', '1')]), 'restored');
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 6, name: 'A', count: 1 },
      { _id: 2, _revision: 4, name: 'b', count: 2, _deleted_at: true },
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
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, name: 'a', count: 1 },
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
    await expect(under.read(table.name)).resolves.toEqual([
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
      await expect(under.read(table.name)).resolves.toEqual([
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
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, value: null },
      { _id: 2, _revision: 2, value: null },
    ]);
    await writer.merge([to], csv([set(1, 1, '2026-11-22')]), 'merged');
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, value: '2026-11-22' },
      { _id: 2, _revision: 2, value: null },
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
    await expect(under.read(table.name)).resolves.toEqual([
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

  it('marks other rows of a replaced range, in mode mark', async () => {
    const table = newTable('mark');
    const writer = await load(table, TWO, [
      row(1, 1, 'a', '1'),
      row(2, 2, 'b', '2'),
      row(3, 3, 'c', '3'),
    ]);
    await writer.replace(TWO, { from: 1, to: 2 }, csv([row(2, 2, 'B', '2')]), 'replaced');
    await expect(under.read(table.name)).resolves.toEqual([
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
    await expect(under.read(table.name)).resolves.toHaveLength(1);
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
    await expect(under.read(other.name)).resolves.toHaveLength(1);
  });

  it('leaves a table alone that it did not create', async () => {
    const table = newTable();
    await under.createTable(table.name);
    const writer = await open(table);
    await expect(writer.claim(1)).resolves.toBeNull();
    const begun = writer.beginLoad(TWO, 'begun');
    await expect(begun).rejects.toMatchObject({ kind: 'configuration' });
    await expect(begun).rejects.toThrow(table.name);
    await close(writer);
    await expect(under.read(table.name)).resolves.toHaveLength(1);
  });

  it('notices that the target table was dropped, and loads it again', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 1, 'a', '1')]);
    await close(writer);
    await under.dropTable(table.name);
    const next = await open(table);
    const state = under.dropsStates === true ? null : 'loaded';
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
    await expect(under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 2, name: 'A', count: 1 },
    ]);
  });

  it('drops a table with its state', async () => {
    const table = newTable();
    const writer = await load(table, TWO, [row(1, 1, 'a', '1')]);
    await writer.beginLoad(TWO, 'again');
    await writer.drop();
    await expect(under.read(table.name)).resolves.toBeNull();
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
    const read = (await under.read(table.name)) ?? [];
    expect(read).toHaveLength(47_500);
    expect(read.filter((one) => one['name'] === 'changed')).toHaveLength(2_500);
  });

  if (modes.includes('history')) {
    describeHistory({
      readVersions: async (table) => (await under.readVersions?.(table)) ?? [],
      newTable,
      open,
      load,
    });
  }
}
