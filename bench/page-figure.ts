import type { LoadResult } from './load';
import { inTurns, type Contender, type Plan } from './measure';

/** What a kind of page cost at one size. */
export interface PageFigure {
  /** Such as `first`, or `equal by index`. */
  readonly kind: string;
  readonly limit: number;
  /** In the datagrid, as it was filled. */
  readonly rows: number;
  readonly tenthDeleted: boolean;
  readonly service: LoadResult;
  readonly bare: LoadResult;
}

/** A page of a datagrid, as the service and as the bare server are asked for it. */
export interface PageAsked {
  readonly kind: string;
  readonly limit: number;
  readonly rows: number;
  readonly service: Contender;
  readonly bare: Contender;
}

/** Each page beside the bare server's, all in turns, so that sizes and kinds can be compared. */
export async function measureAsked(
  asked: readonly PageAsked[],
  plan: Plan,
  tenthDeleted: boolean,
): Promise<PageFigure[]> {
  const contenders = asked.flatMap(({ service, bare }) => [service, bare]);
  const results = await inTurns(plan, contenders);
  return asked.map(({ kind, limit, rows }, index) => {
    const service = results[index * 2];
    const bare = results[index * 2 + 1];
    if (!service || !bare) throw new Error('A contender is missing.');
    return { kind, limit, rows, tenthDeleted, service, bare };
  });
}

/** The p50 of a page as a multiple of another's, of the same limit and state. */
export function growth(figure: PageFigure, beside: PageFigure | undefined): number {
  return figure.service.p50Ms / (beside?.service.p50Ms ?? Number.NaN);
}

/** The same page of another size, or another page of the same size. */
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

/** The smallest size measured, which larger ones are held against. */
export const smallestOf = (figures: readonly PageFigure[]): number =>
  Math.min(...figures.map(({ rows }) => rows));
