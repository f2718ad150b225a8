import type { LoadResult } from './load';

const HEAD = ['measure', 'requests/s', 'p50 ms', 'p99 ms', 'ratio'];

/** Prints lines of cells as a Markdown table. The first column is aligned left, others right. */
export function markdownTable(
  head: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const rows = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  const print = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, i) =>
    i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [head, rule, ...lines].map(print).join('\n');
}

/** Collects measures of one size and prints them as a table. */
export class Table {
  private readonly entries: { measure: string; result: Partial<LoadResult>; ratio: string }[] = [];

  /** Adds a measure of requests. @param ratio Comparison, such as "0.52 of bare". */
  add(measure: string, result: LoadResult, ratio = ''): void {
    this.entries.push({ measure, result, ratio });
  }

  /** Adds a rate that is not one of requests, such as rows per second. */
  addRate(measure: string, requestsPerSecond: number, ratio = ''): void {
    this.entries.push({ measure, result: { requestsPerSecond }, ratio });
  }

  toJSON(): unknown {
    return this.entries;
  }

  toString(): string {
    const lines = this.entries.map(({ measure, result, ratio }) => [
      measure,
      result.requestsPerSecond?.toFixed(0) ?? '',
      result.p50Ms?.toFixed(2) ?? '',
      result.p99Ms?.toFixed(2) ?? '',
      ratio,
    ]);
    return markdownTable(HEAD, lines);
  }
}
