import type { PageFigure } from '../../bench/page-figure';
import { pageTable } from '../../bench/page-table';
import { targetsTable } from '../../bench/targets';

function figure(kind: string, rows: number, p50Ms: number, tenthDeleted = false): PageFigure {
  const bare = { requestsPerSecond: 1000, p50Ms: 1, p99Ms: 2, cpuMicros: 300 };
  const service = { requestsPerSecond: 500, p50Ms, p99Ms: 9, cpuMicros: 600 };
  return { kind, limit: 20, rows, tenthDeleted, service, bare };
}

const FIGURES = [
  figure('first', 10_000, 2),
  figure('last', 10_000, 2.5),
  figure('first', 1_000_000, 2.2),
  figure('last', 1_000_000, 3.3),
  figure('equal by index', 1_000_000, 44),
  figure('first', 10_000, 4, true),
  figure('last', 10_000, 4, true),
  figure('first', 1_000_000, 5, true),
  figure('last', 1_000_000, 4, true),
];
const RUN = { name: 'import', rowsPerSecond: 1, firstThirdMib: 100, lastThirdMib: 100 };
const RUNS = [
  { ...RUN, peakMib: 123.4 },
  { ...RUN, peakMib: 287.6 },
  { ...RUN, peakMib: 140 },
];

/** Returns the cells of a table, without its header. */
function cells(table: string): string[][] {
  const lines = table.split('\n').slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the performance targets of the benchmark', () => {
  it('are those of the worst page without a query, and the highest memory', () => {
    expect(cells(targetsTable(FIGURES, RUNS))).toEqual([
      ['last page of 1,000,000 rows, p50 ÷ first page', '≤ 1.20', '1.50'],
      ['page of 1,000,000 rows, p50 ÷ 10,000', '≤ 1.20', '1.32'],
      ['last page of 1,000,000 rows, p50 ÷ first page, a tenth deleted', '≤ 1.20', '0.80'],
      ['page of 1,000,000 rows, p50 ÷ 10,000, a tenth deleted', '≤ 1.20', '1.25'],
      ['page of 20, rate ÷ bare server', '≥ 0.75', '0.50 (median 0.50)'],
      ['page of 20, rate ÷ bare server, a tenth deleted', '≥ 0.60', '0.50 (median 0.50)'],
      ['memory in long imports and exports, MiB', '< 300', '288'],
    ]);
  });

  it('are compared with pages of the same state and size', () => {
    const [first, large, last] = cells(pageTable(FIGURES));
    const rest = ['500', '0.50'];
    expect(first).toEqual([
      'page of 20, first',
      '10,000',
      ...rest,
      '2.00',
      '1.00',
      '9.00',
      '2.00',
      '',
      '',
    ]);
    expect(large?.slice(-2)).toEqual(['', '1.10']);
    expect(last?.slice(-2)).toEqual(['1.25', '']);
  });
});
