import { boxOf, contains, edgesOf, extended, moved, tabbed, withoutIds } from './cell-range';

const BOUNDS = { rows: 100, columns: 4, pageRows: 10 };

describe('a range', () => {
  it('has the same edges in whatever direction it was dragged', () => {
    const box = { top: 1, bottom: 4, left: 0, right: 2 };
    expect(boxOf({ anchor: { row: 1, column: 2 }, head: { row: 4, column: 0 } })).toEqual(box);
    expect(boxOf({ anchor: { row: 4, column: 0 }, head: { row: 1, column: 2 } })).toEqual(box);
    expect(contains(box, { row: 4, column: 2 })).toBe(true);
    expect(contains(box, { row: 5, column: 2 })).toBe(false);
    expect(contains(box, { row: 4, column: 3 })).toBe(false);
  });

  it('leaves out the ids unless it starts there', () => {
    const range = { anchor: { row: 1, column: 0 }, head: { row: 4, column: 3 } };
    expect(withoutIds(range, 3)).toEqual({ ...range, head: { row: 4, column: 2 } });
    expect(withoutIds(range, 4)).toEqual(range);
    const fromIds = { anchor: { row: 1, column: 3 }, head: { row: 4, column: 3 } };
    expect(withoutIds(fromIds, 3)).toEqual(fromIds);
  });

  it('names the outer edges at a cell', () => {
    const box = { top: 1, bottom: 2, left: 1, right: 1 };
    expect(edgesOf(box, { row: 1, column: 1 })).toBe('trl');
    expect(edgesOf(box, { row: 2, column: 1 })).toBe('rbl');
  });
});

describe('a key that moves', () => {
  const at = { row: 50, column: 1 };

  it.each([
    ['ArrowDown', false, { row: 51, column: 1 }],
    ['ArrowUp', true, { row: 0, column: 1 }],
    ['ArrowRight', true, { row: 50, column: 3 }],
    ['Home', false, { row: 50, column: 0 }],
    ['Home', true, { row: 0, column: 1 }],
    ['End', true, { row: 99, column: 1 }],
    ['PageDown', false, { row: 60, column: 1 }],
  ])('moves from the middle with %s (Ctrl: %s)', (key, isCtrl, to) => {
    expect(moved(key, isCtrl, at, BOUNDS)).toEqual(to);
  });

  it('stays within the grid', () => {
    expect(moved('ArrowLeft', false, { row: 0, column: 0 }, BOUNDS)).toEqual({ row: 0, column: 0 });
    expect(moved('PageDown', false, { row: 95, column: 0 }, BOUNDS)?.row).toBe(99);
    expect(moved('x', false, at, BOUNDS)).toBeUndefined();
    for (const none of [{ rows: 0 }, { columns: 0 }]) {
      expect(moved('End', true, at, { ...BOUNDS, ...none })).toBeUndefined();
    }
  });
});

describe('a key that extends a range', () => {
  const head = { row: 50, column: 1 };

  it.each([
    ['End', true, { row: 99, column: 3 }],
    ['Home', true, { row: 0, column: 0 }],
    ['End', false, { row: 50, column: 3 }],
    ['Home', false, { row: 50, column: 0 }],
    ['ArrowDown', true, { row: 99, column: 1 }],
    ['x', true, undefined],
  ])('moves the head with %s (Ctrl: %s)', (key, isCtrl, to) => {
    expect(extended(key, isCtrl, head, BOUNDS)).toEqual(to);
  });
});

describe('Tab', () => {
  it('goes to the next row at the end of a row, and leaves at the end of the grid', () => {
    expect(tabbed(false, { row: 0, column: 3 }, BOUNDS)).toEqual({ row: 1, column: 0 });
    expect(tabbed(true, { row: 1, column: 0 }, BOUNDS)).toEqual({ row: 0, column: 3 });
    expect(tabbed(false, { row: 99, column: 3 }, BOUNDS)).toBeUndefined();
    expect(tabbed(true, { row: 0, column: 0 }, BOUNDS)).toBeUndefined();
  });
});
