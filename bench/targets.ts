import type { LongRun } from './long-runs';
import { counterpart, growth, smallestOf, type PageFigure } from './page-figure';
import { markdownTable } from './table';

const PAGE_KINDS = ['first', 'middle', 'last'];
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
  const peak = Math.max(...runs.map(({ peakMib }) => peakMib));
  lines.push(['memory in long imports and exports, MiB', MAX_MEMORY_MIB, peak.toFixed(0)]);
  return markdownTable(['target', 'limit', 'worst measured'], lines);
}

const worst = (ratios: readonly number[]): string => Math.max(...ratios).toFixed(2);
