import type { TargetColumn } from '../../src/destinations/destination';
import { csv, row, set } from './contract-lines';
import { ALL, type ContractTables } from './contract-tables';

/** Describes how every destination must store values and names. */
export function describeValues(tables: ContractTables): void {
  const { newTable, load } = tables;

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
    const read = await tables.under.read(table.name);
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
    const other = newTable();
    const table = { ...other, name: `Order "${other.name}" été` };
    const columns: TargetColumn[] = [
      { id: 1, name: 'select', type: 'text' },
      { id: 2, name: 'A "quoted" name', type: 'integer' },
      { id: 3, name: "it's", type: 'text' },
    ];
    const writer = await load(table, columns, [row(1, 1, 'a', '1', 'b')]);
    await writer.merge(columns, csv([set(2, 2, 'c', '2', 'd')]), 'merged');
    await expect(tables.under.read(table.name)).resolves.toEqual([
      { _id: 1, _revision: 1, select: 'a', 'A "quoted" name': 1, "it's": 'b' },
      { _id: 2, _revision: 2, select: 'c', 'A "quoted" name': 2, "it's": 'd' },
    ]);
  });
}
