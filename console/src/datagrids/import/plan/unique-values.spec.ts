import type { ColumnType } from '../../column-type';
import type { WrittenColumn } from './plan';
import { comparedColumns, uniqueForm, UniqueValues } from './unique-values';

const FLAGS = { required: false, unique: true, indexed: false, options: {} };

const columnOf = (key: string, type: ColumnType, at: number): WrittenColumn => ({
  at,
  column: { key, title: key, type, ...FLAGS },
  isNew: false,
});

const A = columnOf('a', 'text', 0);
const B = columnOf('b', 'decimal', 1);

const NOTHING = new Map();

const values = (a: string, b?: string): ReadonlyMap<string, string> =>
  new Map([['a', JSON.stringify(a)], ...(b === undefined ? [] : [['b', b] as const])]);

describe('uniqueForm', () => {
  it.each([
    ['decimal', '"1.50"', '"1.5"'],
    ['decimal', '"-007.00"', '"-7"'],
    ['decimal', '"-0.0"', '"0"'],
    ['decimal', '"0.10"', '"0.1"'],
    ['decimal', '"100"', '"100"'],
    ['number', '1.50', '1.5'],
    ['integer', '9007199254740991', '9007199254740991'],
    ['datetime', '"2024-01-31T10:00:00+02:00"', '"2024-01-31T08:00:00.000Z"'],
    ['date', '"2024-01-31"', '"2024-01-31"'],
    ['text', '"1.50"', '"1.50"'],
  ] as const)('returns for the %s %s the form %s', (type, json, form) => {
    expect(uniqueForm({ type, options: {} }, json)).toBe(form);
  });

  it.each([
    ['text', '"ÉCOLE \\"A\\""', '"école \\"a\\""'],
    ['text', '"Straße"', '"straße"'],
    ['text', '"ΑΣ"', '"ασ"'],
    ['email', '"Ada@Example.com"', '"ada@example.com"'],
  ] as const)(
    'returns for the %s %s the form %s if the column ignores case',
    (type, json, form) => {
      expect(uniqueForm({ type, options: { ignoreCase: true } }, json)).toBe(form);
    },
  );
});

describe('UniqueValues', () => {
  it('find the rows whose value an earlier row of the file has', () => {
    const unique = new UniqueValues([A, B], NOTHING);
    expect(unique.claim(values('x', '"1.5"'))).toEqual([]);
    expect(unique.claim(values('y', '"1.50"'))).toEqual([{ written: B, kind: 'repeated' }]);
    // The row with y is left out, so its value is free.
    expect(unique.claim(values('y', '"2"'))).toEqual([]);
  });

  it('find values that differ only in case if the column ignores case', () => {
    const options = { ignoreCase: true };
    const email = { ...A, column: { ...A.column, type: 'email' as const, options } };
    const unique = new UniqueValues([email], new Map([['a', new Set(['"bob@x.org"'])]]));
    expect(unique.claim(values('Ada@x.org'))).toEqual([]);
    expect(unique.claim(values('ADA@x.org'))).toEqual([{ written: email, kind: 'repeated' }]);
    expect(unique.claim(values('Bob@X.org'))).toEqual([{ written: email, kind: 'exists' }]);
  });

  it('find the rows whose value a row of the datagrid has', () => {
    const unique = new UniqueValues([A, B], new Map([['a', new Set(['"x"'])]]));
    expect(unique.claim(values('x', '"1"'))).toEqual([{ written: A, kind: 'exists' }]);
    expect(unique.claim(values('z', '"1"'))).toEqual([]);
  });

  it('do not compare rows without a value', () => {
    const unique = new UniqueValues([A, B], NOTHING);
    expect(unique.claim(values('x'))).toEqual([]);
    expect(unique.claim(values('y'))).toEqual([]);
    expect(unique.claim(values('z', 'null'))).toEqual([]);
    expect(unique.claim(values('w', 'null'))).toEqual([]);
  });
});

describe('comparedColumns', () => {
  it('are the unique columns of the datagrid, unless the import changes rows', () => {
    const plain = { ...A, column: { ...A.column, unique: false } };
    const created = { ...A, isNew: true };
    expect(comparedColumns([plain, created, B], { matchOn: '' })).toEqual([B]);
    expect(comparedColumns([A, B], { matchOn: 'a' })).toEqual([]);
  });
});
