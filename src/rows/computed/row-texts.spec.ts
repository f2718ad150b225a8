import { readRows, withAdded } from './row-texts';

const none = new Set<string>();
const row = (id: number, values: string): string =>
  `{"id":${String(id)},"values":${values},"revision":1,"createdAt":"a","updatedAt":"b"}`;

/** Adds the same text to each row, without the members in `dropped`. */
function added(values: string, text: string, dropped: readonly string[] = []): string {
  const json = `[${row(7, values)}]`;
  const rows = readRows(json, none, new Set(dropped));
  const printed = withAdded(json, rows, () => text);
  return printed.slice(`[{"id":7,"values":`.length, printed.indexOf(',"revision"'));
}

describe('readRows', () => {
  it('finds the ids of rows and their links in order, whatever the other values are', () => {
    const first = String.raw`{"a": {"link": 5, "id": 6}, "b": "}],\"link\": 9,\\", "id": 8, "link": 3, "many": [4, 1]}`;
    const json = `[${row(12, first)},${row(9007199254740991, '{"many": []}')},${row(2, '{}')}]`;
    const rows = readRows(json, new Set(['link', 'many']), none);
    expect(rows.map(({ id, links }) => [id, Object.fromEntries(links)])).toEqual([
      [12, { link: [3], many: [4, 1] }],
      [9007199254740991, { many: [] }],
      [2, {}],
    ]);
    expect(rows.map(({ start, end }) => json.slice(start, end))).toEqual([
      first.slice(1, -1),
      '"many": []',
      '',
    ]);
  });

  it('finds no rows in an empty page', () => {
    expect(readRows('[]', new Set(['link']), none)).toEqual([]);
  });
});

describe('withAdded', () => {
  it.each([
    ['{}', '', [], '{}'],
    ['{}', '"n": 1', [], '{"n": 1}'],
    ['{"a": 1}', '', [], '{"a": 1}'],
    ['{"a": 1.50}', '"n": 1', [], '{"a": 1.50, "n": 1}'],
    ['{"a": 1}', '"n": 1', ['a'], '{"n": 1}'],
    ['{"a": 1}', '', ['a'], '{}'],
    [
      '{"a": [1, 2], "b": ",", "c": {"a": 1}}',
      '"n": 1',
      ['a'],
      '{"b": ",", "c": {"a": 1}, "n": 1}',
    ],
    ['{"a": 1, "b": "x, ", "c": 3}', '', ['b'], '{"a": 1, "c": 3}'],
    ['{"a": 1, "b": 2, "c": 3}', '"n": 1', ['c'], '{"a": 1, "b": 2, "n": 1}'],
    ['{"a": 1, "b": 2, "c": 3}', '', ['a', 'b', 'c'], '{}'],
    ['{"a": 1, "b": 2, "c": ", x ,"}', '', ['a', 'b'], '{"c": ", x ,"}'],
  ])('changes %s by %s without %p to %s', (values, text, dropped, expected) => {
    expect(added(values, text, dropped)).toBe(expected);
  });

  it('keeps everything else of several rows', () => {
    const json = `[${row(1, '{"a": 1}')},${row(2, '{}')}]`;
    const rows = readRows(json, none, none);
    const printed = withAdded(json, rows, ({ id }) => `"id": ${String(id)}`);
    expect(printed).toBe(`[${row(1, '{"a": 1, "id": 1}')},${row(2, '{"id": 2}')}]`);
  });
});
