import { compareValues, csvOf, isNumberColumn, isTimeColumn, shownValue } from './sql-result';

const columns = [
  { name: 'a,b', type: 'VARCHAR' },
  { name: 'n', type: 'BIGINT' },
];

describe('the CSV of a result', () => {
  it('quotes separators, quotation marks, line breaks, outer spaces and empty texts, and leaves missing values empty', () => {
    const rows = [
      { 'a,b': 'say "hi"', n: 1 },
      { 'a,b': 'two\nlines', n: '9007199254740993' },
      { 'a,b': '', n: null },
      { 'a,b': null, n: 2.5 },
      { 'a,b': ' x', n: null },
    ];
    expect(csvOf({ columns, rows })).toBe(
      '"a,b",n\n"say ""hi""",1\n"two\nlines",9007199254740993\n"",\n,2.5\n" x",\n',
    );
  });

  it('has lists and structures as JSON', () => {
    const rows = [{ 'a,b': ['x', 'y'], n: { z: true } }];
    expect(csvOf({ columns, rows })).toBe('"a,b",n\n"[""x"",""y""]","{""z"":true}"\n');
  });
});

describe('a sort of a result', () => {
  const sorted = (values: readonly unknown[], isNumber: boolean, isDescending = false): unknown[] =>
    [...values].sort((a, b) => {
      const order = compareValues(a, b, isNumber, isDescending);
      return isDescending ? -order : order;
    });

  it('compares numbers with all of their digits', () => {
    const values = ['9007199254740993', 10, '9007199254740992', -2, '-9007199254740993', 9];
    const expected = ['-9007199254740993', -2, 9, 10, '9007199254740992', '9007199254740993'];
    expect(sorted(values, true)).toEqual(expected);
    expect(sorted(values, true, true)).toEqual(expected.reverse());
    const decimals = ['-12345678901234567890.02', '-12345678901234567890.01'];
    expect(sorted(decimals.toReversed(), true)).toEqual(decimals);
  });

  it('compares other values as texts, and has missing values last', () => {
    expect(sorted([null, 'b', 'B', '10', '9'], false)).toEqual(['10', '9', 'B', 'b', null]);
    expect(sorted([null, 1, 2], true, true)).toEqual([2, 1, null]);
  });
});

describe('a value of a result', () => {
  it.each([
    [null, ''],
    [undefined, ''],
    ['a', 'a'],
    [true, 'true'],
    [-1.5, '-1.5'],
    [[1, null], '[1,null]'],
  ])('%p is shown as %p', (value, text) => {
    expect(shownValue(value)).toBe(text);
  });
});

describe('the type of a column', () => {
  it.each(['TINYINT', 'UBIGINT', 'INTEGER', 'HUGEINT', 'DOUBLE', 'DECIMAL(38,2)'])(
    '%s is a number',
    (type) => {
      expect(isNumberColumn({ name: 'a', type })).toBe(true);
    },
  );

  it.each(['VARCHAR', 'BIGINT[]', 'DATE', 'BOOLEAN', 'STRUCT(a INTEGER)'])(
    '%s is no number',
    (type) => {
      expect(isNumberColumn({ name: 'a', type })).toBe(false);
    },
  );

  it.each(['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'])('%s is a time', (type) => {
    expect(isTimeColumn({ name: 'a', type })).toBe(true);
  });
});
