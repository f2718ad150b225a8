import { completeLayout, isSameLayout, moved, parseLayout, withColumn } from './layout';

const KEYS = ['a', 'b', 'c'];

describe('a layout', () => {
  it('contains every column of the datagrid once, and no others', () => {
    const layout = [
      { key: 'c', width: 90.4 },
      { key: 'gone' },
      { key: 'a', hidden: false },
      { key: 'c' },
    ];
    expect(completeLayout(layout, KEYS)).toEqual([
      { key: 'c', width: 90 },
      { key: 'a' },
      { key: 'b' },
    ]);
  });

  it('is the same with and without values that are not set', () => {
    expect(isSameLayout([], [{ key: 'a', hidden: false }, { key: 'b' }], KEYS)).toBe(true);
    expect(isSameLayout([], [{ key: 'b' }], KEYS)).toBe(false);
    expect(isSameLayout([], [{ key: 'a', width: 90 }], KEYS)).toBe(false);
  });

  it('moves a column past hidden ones, and not beyond the ends', () => {
    const layout = [{ key: 'a' }, { key: 'b', hidden: true }, { key: 'c' }];
    expect(moved(layout, 'a', 1).map(({ key }) => key)).toEqual(['b', 'c', 'a']);
    expect(moved(layout, 'c', -1).map(({ key }) => key)).toEqual(['c', 'a', 'b']);
    expect(moved(layout, 'a', -1)).toEqual(layout);
    expect(moved(layout, 'c', 1)).toEqual(layout);
  });

  it('loses a value that is set to undefined', () => {
    const layout = [{ key: 'a', pinned: 'left' as const, width: 90 }];
    expect(withColumn(layout, 'a', { pinned: undefined })).toEqual([{ key: 'a', width: 90 }]);
    expect(withColumn(layout, 'a', { hidden: true })).toEqual([
      { key: 'a', width: 90, hidden: true, pinned: 'left' },
    ]);
  });

  it('is read from text, unless the text is not a layout', () => {
    expect(
      parseLayout('[{"key":"a","width":"9","pinned":"top"},{"key":"b","hidden":true}]'),
    ).toEqual([{ key: 'a' }, { key: 'b', hidden: true }]);
    for (const text of [null, '', '{', '{}', '[1]', '[{"width":1}]', 'null']) {
      expect(parseLayout(text)).toBeUndefined();
    }
  });
});
