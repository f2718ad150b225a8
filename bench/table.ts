import type { LoadResult } from './load';

const HEAD = ['measure', 'requests/s', 'p50 ms', 'p99 ms', 'ratio'];

/** Collects measurements and prints them as a Markdown table. */
export class Table {
  private readonly lines: string[][] = [];

  /** `ratio` says what the figure is held against, such as "0.52 of bare". */
  add(measure: string, result: LoadResult, ratio = ''): void {
    const { requestsPerSecond, p50Ms, p99Ms } = result;
    this.lines.push([
      measure,
      requestsPerSecond.toFixed(0),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      ratio,
    ]);
  }

  /** What is so much in a second, and no request. */
  addRate(measure: string, perSecond: number, ratio = ''): void {
    this.lines.push([measure, perSecond.toFixed(0), '', '', ratio]);
  }

  toString(): string {
    const rows = [HEAD, ...this.lines];
    const widths = HEAD.map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    );
    const print = (row: readonly string[]): string =>
      `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
    const rule = `|${widths.map((width, i) => (i === 0 ? '-' : ' ').padEnd(width + 2, '-').replace(/^ (.*)-$/, '-$1:')).join('|')}|`;
    return [print(HEAD), rule, ...this.lines.map(print)].join('\n');
  }
}
