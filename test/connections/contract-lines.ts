import type { ColumnPlan, CsvLines, TargetColumn } from '../../src/destinations/destination';

/** A cell of a line; `null` if the value is missing. */
export type Cell = string | null;

const printed = (cell: Cell): string => {
  if (cell === null) return String.raw`\N`;
  return /^$|[",\n\r\\]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
};

/** Prints lines as CSV, in parts that end anywhere. */
export async function* csv(lines: readonly (readonly Cell[])[]): CsvLines {
  const bytes = Buffer.from(lines.map((cells) => `${cells.map(printed).join(',')}\n`).join(''));
  for (let from = 0; from < bytes.length; from += 7_001) {
    yield bytes.subarray(from, from + 7_001);
    await Promise.resolve();
  }
}

/** Fails in the middle of the lines. */
export async function* broken(lines: readonly (readonly Cell[])[]): CsvLines {
  yield* csv(lines);
  throw new Error('The source broke.');
}

/** A line of a load. */
export const row = (id: number, revision: number, ...cells: readonly Cell[]): Cell[] => [
  String(id),
  String(revision),
  ...cells,
];

/** A changed row. */
export const set = (id: number, revision: number, ...cells: readonly Cell[]): Cell[] => [
  String(id),
  String(revision),
  'false',
  ...cells,
];

/** A deleted row. */
export const deleted = (id: number, revision: number, columns: readonly TargetColumn[]): Cell[] => [
  String(id),
  String(revision),
  'true',
  ...columns.map(() => null),
];

/** A change of columns. */
export const plan = (change: Partial<ColumnPlan>): ColumnPlan => ({
  removed: [],
  widened: [],
  added: [],
  ...change,
});
