import { SUMMARIES, type SummaryFunction } from './summary';

/** A column in a layout. Values that are not set are absent. */
export interface LayoutColumn {
  readonly key: string;
  /** In pixels. */
  readonly width?: number;
  readonly hidden?: boolean;
  readonly pinned?: 'left' | 'right';
  /** Function whose result is shown below the column. */
  readonly summary?: SummaryFunction;
}

/** Columns in the order of display. Columns that are not listed follow, visible. */
export type Layout = readonly LayoutColumn[];

/** Limits of the service. */
const MIN_WIDTH = 40;
const MAX_WIDTH = 2_000;

/** Returns the layout of all columns of a datagrid, and of no others. */
export function completeLayout(layout: Layout, keys: readonly string[]): LayoutColumn[] {
  const listed = layout.filter(
    ({ key }, at) => keys.includes(key) && layout.findIndex((one) => one.key === key) === at,
  );
  const known = new Set(listed.map(({ key }) => key));
  const others = keys.filter((key) => !known.has(key)).map((key) => ({ key }));
  return [...listed.map(normalized), ...others];
}

/** Returns a layout with one changed column. `undefined` removes a value. */
export function withColumn(
  layout: Layout,
  key: string,
  change: {
    readonly [Name in Exclude<keyof LayoutColumn, 'key'>]?: LayoutColumn[Name] | undefined;
  },
): LayoutColumn[] {
  return layout.map((one) => (one.key === key ? normalized({ ...one, ...change }) : one));
}

/** Moves a column by one visible place to the left (-1) or to the right (1). */
export function moved(layout: Layout, key: string, step: -1 | 1): LayoutColumn[] {
  const from = layout.findIndex((one) => one.key === key);
  let to = from + step;
  while (layout[to]?.hidden === true) to += step;
  const column = layout[from];
  if (!column || !layout[to]) return [...layout];
  const others = layout.filter((one) => one !== column);
  return [...others.slice(0, to), column, ...others.slice(to)];
}

export function isSameLayout(a: Layout, b: Layout, keys: readonly string[]): boolean {
  const text = (layout: Layout): string => JSON.stringify(completeLayout(layout, keys));
  return text(a) === text(b);
}

/** Reads a layout that was stored as text. @returns `undefined` for other text. */
export function parseLayout(text: string | null): Layout | undefined {
  if (text === null) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every(isColumn) ? parsed.map(normalized) : undefined;
  } catch {
    return undefined;
  }
}

function isColumn(value: unknown): value is LayoutColumn {
  return (
    typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string'
  );
}

interface LooseColumn {
  readonly key: string;
  readonly width?: unknown;
  readonly hidden?: unknown;
  readonly pinned?: unknown;
  readonly summary?: unknown;
}

/** Returns a column with its properties in one order, without those that are not set. */
function normalized({ key, width, hidden, pinned, summary }: LooseColumn): LayoutColumn {
  const known = SUMMARIES.find((one) => one === summary);
  return {
    key,
    ...(typeof width === 'number' && {
      width: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))),
    }),
    ...(hidden === true && { hidden }),
    ...((pinned === 'left' || pinned === 'right') && { pinned }),
    ...(known && { summary: known }),
  };
}
