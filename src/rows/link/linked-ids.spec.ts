import type { LinkColumn } from '../../datagrids/schema/datagrid-schema';
import { linkedIdsIn, linkedIdsOf, MAX_WRITTEN_LINKS, requireFewLinks } from './linked-ids';

const row = (values: string): string =>
  `{"id":1,"values":{${values}},"revision":1,"createdAt":"2026-11-21T09:41:00.000Z"}`;

function idsOf(...values: string[]): unknown {
  const pages = [
    `[${values.map(row).join()}]`,
    `{${values.map((each, n) => `"${String(n)}":${row(each)}`).join()}}`,
  ];
  const [list, byId] = pages.map((json) => Object.fromEntries(linkedIdsOf(json, ['a', 'b'])));
  expect(byId).toEqual(list);
  return list;
}

it.each([
  ['"a": 7', [7]],
  ['"b": null, "a": 7', [7]],
  ['"a": [3, 1, 3]', [1, 3]],
  ['"a": []', []],
  ['"a": 9007199254740991', [9007199254740991]],
  ['"x": "\\"a\\": 5", "a": 2', [2]],
  ['"x": "\\\\", "a": 2', [2]],
  ['"x": "\\\\\\"", "a": 2, "y": ",\\"a\\": 3"', [2]],
  ['"x": "{[", "a": 2', [2]],
  ['"x": {"a": 5}, "y": [{"a": 6}], "a": 2', [2]],
  ['"x": "a", "y": ["a", 5]', []],
  ['"aa": 4, "A": 5', []],
])('finds the links in %s', (values, a) => {
  expect(idsOf(values)).toEqual({ a, b: [] });
});

it.each([
  '"text"',
  '1.5',
  '1e3',
  '-1',
  'true',
  'null',
  '{"a": 1}',
  '[[1]]',
  '["1"]',
  '[1.5]',
  '90071992547409920',
])('finds no links in the value %s of another type', (value) => {
  expect(idsOf(`"a": ${value}`, '"b": 4')).toEqual({ a: [], b: [4] });
});

it('finds the links of all rows', () => {
  expect(idsOf('"a": 2, "b": [5, 4]', '', '"a": 1, "b": [4]')).toEqual({ a: [1, 2], b: [4, 5] });
  expect(linkedIdsOf('[]', ['a'])).toEqual(new Map([['a', []]]));
  expect(linkedIdsOf('{}', ['a'])).toEqual(new Map([['a', []]]));
});

const one = { slot: 'one' } as LinkColumn;
const many = { slot: 'many' } as LinkColumn;

describe('the links in values', () => {
  it('are the id of a link, those of an array, and none without a value', () => {
    const values = { one: 3, many: [5, 7] };
    expect(linkedIdsIn(values, one)).toEqual([3]);
    expect(linkedIdsIn(values, many)).toEqual([5, 7]);
    expect(linkedIdsIn({}, many)).toEqual([]);
  });

  it('are counted in all rows and columns together', () => {
    const rows = Array.from({ length: MAX_WRITTEN_LINKS / 2 }, () => ({ one: 1, many: [1] }));
    const links = [one, many];
    expect(() => {
      requireFewLinks({ links }, rows, 'rows');
    }).not.toThrow();
    expect(() => {
      requireFewLinks({ links }, [...rows, { one: 1 }], 'rows');
    }).toThrow('rows: has 100001 links; the maximum is 100000.');
  });
});
