import type { LoadResult } from './load';
import { inTurns, type Contender, type Plan } from './measure';

/** Kind of the figure of a row that is read by its id. Its limit is 1. */
export const ONE_ROW = 'one row';

/** Measured speed of one kind of page in a datagrid of one size. */
export interface PageFigure {
  /** Kind of page, such as `first` or `equal by index`. */
  readonly kind: string;
  readonly limit: number;
  /** Number of rows of the datagrid before any were deleted. */
  readonly rows: number;
  readonly tenthDeleted: boolean;
  readonly service: LoadResult;
  readonly bare: LoadResult;
}

/** A page to measure: the request to the service, and the one to the bare server. */
export interface PageRequest {
  readonly kind: string;
  readonly limit: number;
  readonly rows: number;
  readonly service: Contender;
  readonly bare: Contender;
}

/** Measures pages of the service and the bare server, all in turns, so that they are comparable. */
export async function measureInTurns(
  requests: readonly PageRequest[],
  plan: Plan,
  tenthDeleted: boolean,
): Promise<PageFigure[]> {
  const contenders = requests.flatMap(({ service, bare }) => [service, bare]);
  const results = await inTurns(plan, contenders);
  return requests.map(({ kind, limit, rows }, index) => {
    const service = results[index * 2];
    const bare = results[index * 2 + 1];
    if (!service || !bare) throw new Error('A contender is missing.');
    return { kind, limit, rows, tenthDeleted, service, bare };
  });
}

/** Returns the p50 of a page as a multiple of that of another page. */
export function growth(figure: PageFigure, beside: PageFigure | undefined): number {
  return figure.service.p50Ms / (beside?.service.p50Ms ?? Number.NaN);
}

/** Returns the figure of the same page at another size, or of another kind at the same size. */
export function counterpart(
  figures: readonly PageFigure[],
  of: PageFigure,
  change: Partial<Pick<PageFigure, 'kind' | 'rows'>>,
): PageFigure | undefined {
  const wanted = { ...of, ...change };
  return figures.find(
    ({ kind, limit, rows, tenthDeleted }) =>
      kind === wanted.kind &&
      limit === wanted.limit &&
      rows === wanted.rows &&
      tenthDeleted === wanted.tenthDeleted,
  );
}

/** Returns the smallest measured size, which larger sizes are compared with. */
export const smallestOf = (figures: readonly PageFigure[]): number =>
  Math.min(...figures.map(({ rows }) => rows));
