import { chartOf, MAX_POINTS, MAX_SERIES } from './chart-data';

const column = (name: string, type: string): { name: string; type: string } => ({ name, type });

describe('the chart of a result', () => {
  it('has the first column without numbers as labels, and columns of numbers as series', () => {
    const columns = [
      column('n', 'BIGINT'),
      column('state', 'VARCHAR'),
      column('sum.of', 'DECIMAL(38,2)'),
    ];
    const rows = [
      { n: 2, state: 'TX', 'sum.of': '10.50' },
      { n: '9007199254740993', state: null, 'sum.of': null },
    ];
    expect(chartOf({ columns, rows })).toEqual({
      labels: 'state',
      series: [
        { key: 'series0', label: 'n' },
        { key: 'series1', label: 'sum.of' },
      ],
      points: [
        { label: 'TX', series0: 2, series1: 10.5 },
        { label: '', series0: 9007199254740992, series1: null },
      ],
      isOverTime: false,
      isCut: false,
    });
  });

  it('has dates as labels, wherever they are', () => {
    const columns = [column('kind', 'VARCHAR'), column('n', 'BIGINT'), column('month', 'DATE')];
    const chart = chartOf({ columns, rows: [{ kind: 'a', n: 1, month: '2026-11-01' }] });
    expect(chart).toMatchObject({ labels: 'month', isOverTime: true });
  });

  it('has the first of several numbers as labels, and of a single one those of the rows', () => {
    const two = [column('year', 'BIGINT'), column('n', 'DOUBLE')];
    expect(chartOf({ columns: two, rows: [{ year: 2026, n: 1 }] })).toMatchObject({
      ...{ labels: 'year', series: [{ key: 'series0', label: 'n' }] },
      points: [{ label: '2026', series0: 1 }],
    });
    const one = [column('n', 'DOUBLE')];
    expect(chartOf({ columns: one, rows: [{ n: 5 }, { n: 'nan' }] })).toMatchObject({
      labels: null,
      points: [
        { label: '1', series0: 5 },
        { label: '2', series0: null },
      ],
    });
  });

  it('needs a column of numbers', () => {
    expect(chartOf({ columns: [column('a', 'VARCHAR')], rows: [{ a: 'x' }] })).toBeNull();
  });

  it('has a bounded number of series', () => {
    const columns = Array.from({ length: MAX_SERIES + 2 }, (_, n) => column(`n${n}`, 'BIGINT'));
    expect(chartOf({ columns, rows: [] })?.series).toHaveLength(MAX_SERIES);
  });

  it('has a bounded number of points', () => {
    const rows = Array.from({ length: MAX_POINTS + 1 }, (_, n) => ({ n }));
    const chart = chartOf({ columns: [column('n', 'BIGINT')], rows });
    expect([chart?.points.length, chart?.isCut]).toEqual([MAX_POINTS, true]);
  });
});
