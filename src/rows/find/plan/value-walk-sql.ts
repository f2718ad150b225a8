import { isUnbounded } from '../../../datagrids/column-type/value-class';
import { indexTable, MAX_INDEXED_CHARACTERS } from '../../index/index-sql';
import type { CursorPosition } from '../cursor/cursor';
import type { SqlParameters } from '../filter/sql-parameters';
import { operandSql, valueSql } from '../filter/value-sql';
import type { SortKey } from '../sort/sort';

/** Parts of a table with `part`, `id` and `k0`, and the common table expressions that they use. */
export interface WalkedParts {
  readonly ctes: readonly string[];
  readonly parts: readonly string[];
}

/** Parameters of a keyset scan with one sort key. */
interface ValueWalk {
  readonly key: SortKey;
  /** Number of rows to read: the page or more. It is part of the text, for the planner. */
  readonly most: string;
  /** Further conditions on a row. */
  readonly met: readonly string[];
  /** Position of the cursor, at a row with a value; `null` for the first page. */
  readonly after: CursorPosition | null;
}

/**
 * Returns a keyset scan of the index of the only sort key, for the rows with a value. It reads
 * little more than the page, even if many rows share a value: first the ties of the cursor's row,
 * then the next values. The index orders ties by id and truncates long values. If the scan is
 * descending or values can be truncated, the ties of its last value can be incomplete and out of
 * order, so they are read again in the order of the page.
 */
export function valueWalkSql(walk: ValueWalk, parameters: SqlParameters): WalkedParts {
  const { key, most, met, after } = walk;
  const { column, isDescending } = key;
  const isCut = isUnbounded(column.type);
  const direction = isDescending ? ' DESC' : '';
  const value = isCut ? wholeValue(column, parameters) : 'e.value';
  const rows = met.length > 0 ? 'JOIN rows r ON r.datagrid_id = $1 AND r.id = e.row_id' : '';
  const columnId = parameters.add(column.id, 'int');
  const read = (where: readonly string[], order: string, k0 = value): string => `(
    SELECT 0 AS part, e.row_id AS id, ${k0} AS k0, e.value AS entry
    FROM ${indexTable(column.type)} e ${rows}
    WHERE ${[`e.datagrid_id = $1 AND e.column_id = ${columnId} AND NOT e.is_empty`, ...met, ...where].join(' AND ')}
    ORDER BY ${order} LIMIT ${most}
  )`;
  const ties = after === null ? null : tiesAfter(key, after, value, parameters);
  const isBeyond = ties === null ? [] : [`e.value ${isDescending ? '<' : '>'} ${ties.entry}`];
  const own = ties === null ? [] : [read(ties.where, ties.order)];
  const parts = (all: readonly string[]): string[] =>
    all.map((part) => `SELECT part, id, k0 FROM ${part} w`);
  if (!isDescending && !isCut) {
    return { ctes: [], parts: parts([...own, read(isBeyond, 'e.value, e.row_id')]) };
  }
  const lastEntry = '(SELECT entry FROM last)';
  const isLast = `e.value = ${lastEntry}`;
  const isWhole = `char_length(${lastEntry}) < ${String(MAX_INDEXED_CHARACTERS)}`;
  const lastTies = isCut
    ? [
        read([isLast, isWhole], 'e.row_id', 'e.value'),
        read([isLast, `NOT ${isWhole}`], `k0${direction}, e.row_id`),
      ]
    : [read([isLast], 'e.row_id')];
  return {
    ctes: [
      `head AS MATERIALIZED ${read(isBeyond, `e.value${direction}`)}`,
      `last AS (
        SELECT ${isDescending ? 'min' : 'max'}(entry) AS entry FROM head HAVING count(*) = ${most}
      )`,
    ],
    parts: parts([
      ...own,
      `(SELECT * FROM head WHERE entry IS DISTINCT FROM ${lastEntry})`,
      ...lastTies,
    ]),
  };
}

/** Returns conditions and order of the rows after the cursor's row that share its index entry. */
function tiesAfter(
  { column, isDescending }: SortKey,
  { values: [last], rowId }: CursorPosition,
  value: string,
  parameters: SqlParameters,
): { readonly entry: string; readonly where: readonly string[]; readonly order: string } {
  const isLater = `e.row_id > ${parameters.add(rowId, 'bigint')}`;
  const characters = Array.from(last ?? '');
  if (!isUnbounded(column.type) || characters.length < MAX_INDEXED_CHARACTERS) {
    const entry = operandSql(column, last, parameters);
    return { entry, where: [`e.value = ${entry}`, isLater], order: 'e.row_id' };
  }
  const entry = operandSql(
    column,
    characters.slice(0, MAX_INDEXED_CHARACTERS).join(''),
    parameters,
  );
  const whole = operandSql(column, last, parameters);
  const sign = isDescending ? '<' : '>';
  const isAfter = `(${value} ${sign} ${whole} OR (${value} = ${whole} AND ${isLater}))`;
  const order = `k0${isDescending ? ' DESC' : ''}, e.row_id`;
  return { entry, where: [`e.value = ${entry}`, isAfter], order };
}

/** Returns the whole value. The row is read only if the entry may be truncated. */
function wholeValue(column: SortKey['column'], parameters: SqlParameters): string {
  return `CASE WHEN char_length(e.value) < ${String(MAX_INDEXED_CHARACTERS)} THEN e.value ELSE (
    SELECT ${valueSql(column, parameters)} FROM rows r WHERE r.datagrid_id = $1 AND r.id = e.row_id
  ) END`;
}
