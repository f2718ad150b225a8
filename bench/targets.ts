import type { LongRun } from './long-runs';
import { median } from './median';
import { counterpart, growth, ONE_ROW, smallestOf, type PageFigure } from './page-figure';
import { markdownTable } from './table';

const PAGE_KINDS = ['first', 'middle', 'last'];
/** Minimum rates as shares of those of the bare server, by limit: at first, and with a tenth deleted. */
const MIN_OF_BARE: readonly (readonly [
  what: string,
  limit: number,
  min: number,
  minDeleted: number,
])[] = [
  ['one row', 1, 0.7, 0.7],
  ['page of 20', 20, 0.75, 0.6],
  ['page of 200', 200, 0.95, 0.9],
];
const MAX_GROWTH = '≤ 1.20';
const MAX_MEMORY_MIB = '< 300';

/** Prints each performance target and the worst measured value as a table. */
export function targetsTable(figures: readonly PageFigure[], runs: readonly LongRun[]): string {
  const smallest = smallestOf(figures);
  const largest = Math.max(...figures.map(({ rows }) => rows));
  const large = figures.filter(({ kind, rows }) => rows === largest && PAGE_KINDS.includes(kind));
  const lines: string[][] = [];
  for (const tenthDeleted of [false, true]) {
    const state = tenthDeleted ? ', a tenth deleted' : '';
    const pages = large.filter((figure) => figure.tenthDeleted === tenthDeleted);
    const lastBesideFirst = pages
      .filter(({ kind }) => kind === 'last')
      .map((page) => growth(page, counterpart(figures, page, { kind: 'first' })));
    const besideSmallest = pages.map((page) =>
      growth(page, counterpart(figures, page, { rows: smallest })),
    );
    const [of, beside] = [largest, smallest].map((rows) => rows.toLocaleString('en'));
    lines.push([
      `last page of ${of ?? ''} rows, p50 ÷ first page${state}`,
      MAX_GROWTH,
      worst(lastBesideFirst),
    ]);
    if (largest === smallest) continue;
    lines.push([
      `page of ${of ?? ''} rows, p50 ÷ ${beside ?? ''}${state}`,
      MAX_GROWTH,
      worst(besideSmallest),
    ]);
  }
  lines.push(...rateLines(figures));
  if (runs.length > 0) {
    const peak = Math.max(...runs.map(({ peakMib }) => peakMib));
    lines.push(['memory in long imports and exports, MiB', MAX_MEMORY_MIB, peak.toFixed(0)]);
  }
  return markdownTable(['target', 'limit', 'worst measured'], lines);
}

/** Compares rates with those of the bare server: the worst figure, and the median of all. */
function rateLines(figures: readonly PageFigure[]): string[][] {
  return [false, true].flatMap((tenthDeleted) =>
    MIN_OF_BARE.flatMap(([what, limit, min, minDeleted]) => {
      const ratios = figures
        .filter((figure) => figure.limit === limit && figure.tenthDeleted === tenthDeleted)
        .filter(({ kind }) => kind === ONE_ROW || PAGE_KINDS.includes(kind))
        .map(({ service, bare }) => service.requestsPerSecond / bare.requestsPerSecond);
      if (ratios.length === 0) return [];
      const state = tenthDeleted ? ', a tenth deleted' : '';
      const measured = `${Math.min(...ratios).toFixed(2)} (median ${median(ratios).toFixed(2)})`;
      const limitText = `≥ ${(tenthDeleted ? minDeleted : min).toFixed(2)}`;
      return [[`${what}, rate ÷ bare server${state}`, limitText, measured]];
    }),
  );
}

const worst = (ratios: readonly number[]): string => Math.max(...ratios).toFixed(2);
