import { isUnbounded } from '../../../datagrids/column-type/value-class';
import { indexTable, MAX_INDEXED_CHARACTERS } from '../../index/index-sql';
import type { CursorPosition } from '../cursor/cursor';
import type { SqlParameters } from '../filter/sql-parameters';
import { operandSql, valueSql } from '../filter/value-sql';
import type { SortKey } from '../sort/sort';

/** Parts of a table with `part`, `id` and `k0`, and the common table expressions they need. */
export interface WalkedParts {
  readonly ctes: readonly string[];
  readonly parts: readonly string[];
}

/** What a walk in the order of one sort key has to know. */
interface ValueWalk {
  readonly key: SortKey;
  /** How many rows are wanted, or more: a number. It stands in the text, for the sake of the plan. */
  readonly most: string;
  /** What a row must meet besides. */
  readonly met: readonly string[];
  /** Where the cursor has come to, at a row with a value; `null` for a beginning. */
  readonly after: CursorPosition | null;
}

/**
 * Walks the index of the only sort key, among the rows with a value. However many rows share a
 * value, little more is read than the page: first the ties of the cursor's row, then the next
 * values. The index has ties in the order of their ids, and long values cut; so where the walk goes
 * against it, ties are incomplete at the last value it comes to, which are read anew by their ids.
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

/** The rows that come after the cursor's and have the entry of its value, with their order. */
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

/** Only where the entry may be cut, the row itself is looked at. */
function wholeValue(column: SortKey['column'], parameters: SqlParameters): string {
  return `CASE WHEN char_length(e.value) < ${String(MAX_INDEXED_CHARACTERS)} THEN e.value ELSE (
    SELECT ${valueSql(column, parameters)} FROM rows r WHERE r.datagrid_id = $1 AND r.id = e.row_id
  ) END`;
}
