import { readCells } from '../csv-cells';
import type { CsvLines, TargetColumn, TargetType } from '../destination';
import { literal } from './mysql-sql';

/** Lines of a load, or changes, which have `_deleted` before the values. */
export type LineKind = 'rows' | 'changes';

/**
 * Prints CSV lines as literals of SQL, separated by commas. INSERT and LOAD DATA read the same form.
 * Gives the lines of one part after another.
 */
export async function* literalLines(
  kind: LineKind,
  columns: readonly TargetColumn[],
  rows: CsvLines,
): AsyncGenerator<readonly string[]> {
  const deleted = kind === 'changes' ? DELETED : [];
  const types: TargetType[] = [
    'integer',
    'integer',
    ...deleted,
    ...columns.map(({ type }) => type),
  ];
  for await (const lines of readCells(rows)) {
    yield lines.map((cells) => cells.map((cell, column) => printed(cell, types[column])).join(','));
  }
}

const DELETED = ['boolean'] as const;

/** Prints a value as a text, which the server reads exactly. The server rejects what does not fit. */
function printed(cell: string | null, type: TargetType | undefined): string {
  if (cell === null) return 'NULL';
  if (type === 'boolean') {
    if (cell === 'true') return "'1'";
    if (cell === 'false') return "'0'";
  }
  if (type === 'timestamp') return literal(cell.replace(/^(\S{10})T(\S{12})Z$/, '$1 $2'));
  return literal(cell);
}
