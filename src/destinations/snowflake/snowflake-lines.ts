import { readCells } from '../csv-cells';
import type { CsvLines, TargetColumn, TargetType } from '../destination';
import { elementSql } from './snowflake-sql';

/** Size of a list at which a statement aims. Snowflake reads a JSON value of up to 16 MB. */
const LIST_BYTES = 4 * 1024 * 1024;

/** Lines of a load, or changes, which have `_deleted` before the values. */
export type LineKind = 'rows' | 'changes';

/** Returns the values of lines as SQL that `listsOf` gives the list for, separated by commas. */
export function valuesSql(kind: LineKind, columns: readonly TargetColumn[]): string {
  return typesOf(kind, columns)
    .map((type, index) => elementSql(index, type))
    .join(', ');
}

/** Prints CSV lines as JSON lists of lists of texts. */
export async function* listsOf(
  kind: LineKind,
  columns: readonly TargetColumn[],
  rows: CsvLines,
): AsyncGenerator<string> {
  const types = typesOf(kind, columns);
  let [list, bytes]: [string[], number] = [[], 0];
  for await (const lines of readCells(rows)) {
    for (const cells of lines) {
      const line = JSON.stringify(cells.map((cell, column) => printed(cell, types[column])));
      list.push(line);
      bytes += Buffer.byteLength(line) + 1;
      if (bytes < LIST_BYTES) continue;
      yield `[${list.join(',')}]`;
      [list, bytes] = [[], 0];
    }
  }
  if (list.length > 0) yield `[${list.join(',')}]`;
}

function typesOf(kind: LineKind, columns: readonly TargetColumn[]): readonly TargetType[] {
  const deleted = kind === 'changes' ? (['boolean'] as const) : [];
  return ['integer', 'integer', ...deleted, ...columns.map(({ type }) => type)];
}

/** Prints the time zone of a time as Snowflake documents it. */
function printed(cell: string | null, type: TargetType | undefined): string | null {
  return type === 'timestamp' && cell !== null ? cell.replace(/Z$/, '+00:00') : cell;
}
