import { counterpart, growth, ONE_ROW, smallestOf, type PageFigure } from './page-figure';
import { markdownTable } from './table';

/** Prints every kind of page at every size as a table, with all sizes of a page together. */
export function pageTable(figures: readonly PageFigure[]): string {
  const smallest = smallestOf(figures);
  const head = [
    'page',
    'rows',
    'requests/s',
    'of bare',
    'p50 ms',
    'bare p50 ms',
    'p99 ms',
    'bare p99 ms',
    'p50 ÷ first page',
    `p50 ÷ ${smallest.toLocaleString('en')} rows`,
  ];
  const lines = inOrder(figures).map((figure) => {
    const { service, bare, rows, kind } = figure;
    const first = counterpart(figures, figure, { kind: 'first' });
    const small = counterpart(figures, figure, { rows: smallest });
    return [
      pageName(figure),
      rows.toLocaleString('en'),
      service.requestsPerSecond.toFixed(0),
      (service.requestsPerSecond / bare.requestsPerSecond).toFixed(2),
      ...[service.p50Ms, bare.p50Ms, service.p99Ms, bare.p99Ms].map((ms) => ms.toFixed(2)),
      first && kind !== 'first' ? growth(figure, first).toFixed(2) : '',
      small && rows !== smallest ? growth(figure, small).toFixed(2) : '',
    ];
  });
  return markdownTable(head, lines);
}

export function pageName({ kind, limit, tenthDeleted }: PageFigure): string {
  const name = kind === ONE_ROW ? kind : `page of ${String(limit)}, ${kind}`;
  return `${name}${tenthDeleted ? ', a tenth deleted' : ''}`;
}

/** Sorts figures so that all sizes of a page are together, otherwise in the order measured. */
function inOrder(figures: readonly PageFigure[]): PageFigure[] {
  const names = [...new Set(figures.map(pageName))];
  return names.flatMap((name) => figures.filter((figure) => pageName(figure) === name));
}
