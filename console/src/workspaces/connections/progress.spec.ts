import type { ConnectionTable } from './connection';
import {
  appendReads,
  durationText,
  lagOf,
  lagPoints,
  lagText,
  progressOf,
  progressText,
  rateOf,
  type TableRead,
} from './progress';

const TABLE: ConnectionTable = {
  datagridId: 'd',
  name: 'airports',
  columns: null,
  status: 'loading',
  loadedRows: 500,
  totalRows: 2_000,
  revision: null,
  lagSeconds: null,
  lastError: null,
  lastErrorAt: null,
  checkedAt: null,
  differentRows: null,
  request: null,
};

const read = (seconds: number, loadedRows: number | null): TableRead => ({
  atMs: seconds * 1_000,
  loadedRows,
  lagSeconds: null,
});

describe('the rate of a load', () => {
  it('is measured over the reads of the last minute', () => {
    expect(rateOf([read(0, 0), read(10, 100), read(20, 300)])).toBe(15);
    // The first ten seconds were slow.
    expect(rateOf([read(0, 0), read(10, 10), read(70, 610)])).toBe(10);
  });

  it('is not known after one read, without rows, or if no load is in progress', () => {
    expect(rateOf([])).toBeNull();
    expect(rateOf([read(0, 100)])).toBeNull();
    expect(rateOf([read(0, 100), read(10, 100)])).toBeNull();
    expect(rateOf([read(0, 100), read(10, null)])).toBeNull();
  });

  it('starts again if the load does', () => {
    expect(rateOf([read(0, 0), read(10, 900), read(20, 50)])).toBeNull();
    expect(rateOf([read(0, 0), read(10, 900), read(20, 50), read(30, 150)])).toBe(10);
    expect(rateOf([read(0, 0), read(10, null), read(20, 50), read(30, 150)])).toBe(10);
  });
});

describe('the progress of a table', () => {
  it('has the time left at the rate of the load', () => {
    expect(progressOf(TABLE, [read(0, 300), read(2, 500)])).toEqual({
      loadedRows: 500,
      totalRows: 2_000,
      percent: 25,
      rowsPerSecond: 100,
      secondsLeft: 15,
    });
  });

  it('is complete if rows were deleted during the load, and missing without a load', () => {
    const reads = [read(0, 300), read(2, 500)];
    const shrunk = progressOf({ ...TABLE, totalRows: 400 }, reads);
    expect(shrunk).toMatchObject({ percent: 100, secondsLeft: 0 });
    expect(progressOf({ ...TABLE, loadedRows: 0, totalRows: 0 }, [])?.percent).toBe(100);
    expect(progressOf({ ...TABLE, loadedRows: null, totalRows: null }, reads)).toBeNull();
  });

  it('is shown in words', () => {
    const progress = { loadedRows: 500, totalRows: 2_000, percent: 25 };
    expect(progressText({ ...progress, rowsPerSecond: 100, secondsLeft: 15 })).toBe(
      '500 of 2,000 rows, 100 rows per second, 15 s left',
    );
    expect(progressText({ ...progress, rowsPerSecond: 0.25, secondsLeft: 6_000 })).toBe(
      '500 of 2,000 rows, 0.3 rows per second, 1 h 40 min left',
    );
    expect(progressText({ ...progress, rowsPerSecond: null, secondsLeft: null })).toBe(
      '500 of 2,000 rows',
    );
  });
});

describe('the reads of tables', () => {
  it('are kept for each table that is still there, up to 300', () => {
    let history = appendReads(new Map(), [TABLE, { ...TABLE, datagridId: 'e' }], 1);
    expect([...history.keys()]).toEqual(['d', 'e']);
    history = appendReads(history, [{ ...TABLE, loadedRows: 700 }], 2);
    expect([...history.entries()]).toEqual([
      [
        'd',
        [
          { atMs: 1, loadedRows: 500, lagSeconds: null },
          { atMs: 2, loadedRows: 700, lagSeconds: null },
        ],
      ],
    ]);
    for (let atMs = 3; atMs <= 400; atMs += 1) history = appendReads(history, [TABLE], atMs);
    expect(history.get('d')).toHaveLength(300);
    expect(history.get('d')?.at(-1)?.atMs).toBe(400);
  });

  it('are points of the plot if they have a lag', () => {
    expect(lagPoints([read(0, 5), { atMs: 2_000, loadedRows: null, lagSeconds: 3 }])).toEqual([
      { atMs: 2_000, lagSeconds: 3 },
    ]);
  });
});

describe('the lag of a connection', () => {
  it('is that of the table that is behind most', () => {
    expect(
      lagOf([
        { ...TABLE, lagSeconds: 0 },
        { ...TABLE, lagSeconds: 7 },
      ]),
    ).toBe(7);
    expect(lagOf([{ ...TABLE, lagSeconds: 7 }, TABLE, { ...TABLE, lagSeconds: 9 }])).toBeNull();
    expect(lagOf([])).toBeNull();
  });

  it('is shown in words', () => {
    expect(lagText(null)).toBe('Not loaded yet');
    expect(lagText(0)).toBe('Has all changes');
    expect(lagText(75)).toBe('1 min behind');
  });

  it.each([
    [0, '0 s'],
    [0.2, '1 s'],
    [59, '59 s'],
    [90, '2 min'],
    [3_590, '1 h'],
    [7_500, '2 h 5 min'],
    [172_800, '2 days'],
  ])('of %s seconds is %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
