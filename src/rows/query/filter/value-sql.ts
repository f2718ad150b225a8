import type { JsonValue } from '../../../common/json/token-reader';
import {
  type ColumnType,
  ignoresCase,
  isComparedAsNumber,
} from '../../../datagrids/column-type/column-type';
import { sqlLiteral } from '../../../platform/database/session-settings';
import { withoutCase } from '../../storage/unique-sql';
import type { QueryColumn } from '../query-column';

/**
 * Returns the value of a column, or an attribute, of row `r` in the SQL type in which it is compared:
 * exact numbers, or text by code point, in lower case if the column ignores case. The value is NULL if the row has none.
 */
export function valueSql(column: QueryColumn, parameters: SqlParameters): string {
  const { type, slot, attribute } = column;
  if (attribute) return attribute.sql;
  const text = `(r."values" ->> ${parameters.add(slot, 'text')})`;
  if (isComparedAsNumber(type)) return `${text}::numeric`;
  return `${ignoresCase(column) ? withoutCase(text) : text} COLLATE "C"`;
}

/** Returns the text of a column of row `r` as it was written, to be ordered by code point. */
export function writtenTextSql({ slot }: QueryColumn, parameters: SqlParameters): string {
  return `(r."values" ->> ${parameters.add(slot, 'text')}) COLLATE "C"`;
}

/** Returns an operand as text. Comparable values are strings, numbers and booleans. */
export function textOf(operand: unknown): string {
  return typeof operand === 'string' ? operand : JSON.stringify(operand);
}

/**
 * Returns an operand to compare a column's value with. Dates and times are stored so that the
 * order of their text is their chronological order.
 */
export function operandSql(
  column: QueryColumn,
  operand: unknown,
  parameters: SqlParameters,
): string {
  const added = parameters.add(textOf(operand), comparedType(column));
  return ignoresCase(column) ? `${withoutCase(added)} COLLATE "C"` : added;
}

/** Returns a list of operands, as an array, to compare a column's value with each. */
export function operandsSql(
  column: QueryColumn,
  operands: readonly JsonValue[],
  parameters: SqlParameters,
): string {
  const added = parameters.add(operands.map(String), `${comparedType(column)}[]`);
  if (!ignoresCase(column)) return added;
  return `ARRAY(SELECT ${withoutCase('o.value')} COLLATE "C" FROM unnest(${added}) AS o(value))`;
}

function comparedType({ type, attribute }: QueryColumn): string {
  return attribute?.sqlType ?? sqlType(type);
}

/** Returns the SQL type in which values of a column type are compared. */
export function sqlType(type: ColumnType): 'numeric' | 'text' {
  return isComparedAsNumber(type) ? 'numeric' : 'text';
}

/**
 * Maximum product of the length of the text and the length of the needle, in bytes, for `strpos`.
 * Its time grows with that product, and it cannot be cancelled. The maximum takes about 1.5 ms.
 */
const MAX_STRPOS_WORK = 1024 * 1024;

/**
 * Returns the condition that a text contains a needle, ignoring case. A long text is searched with
 * a regular expression (`***=` makes the rest of it literal), which takes time linear in the text
 * and can be cancelled. For short texts `strpos` is faster.
 * @param text SQL of the text.
 * @param needle Parameter or literal of at most `MAX_SEARCH_CHARACTERS` characters.
 */
export function containsSql(text: string, needle: string): string {
  const folded = withoutCase(needle);
  const work = `octet_length(${text})::bigint * octet_length(${needle})`;
  return `CASE WHEN ${work} < ${String(MAX_STRPOS_WORK)}
    THEN strpos(${withoutCase(text)}, ${folded}) > 0
    ELSE ${withoutCase(text)} COLLATE "C" ~ ('***=' || ${folded}) COLLATE "C" END`;
}

/** Collects the parameters of a statement that is built in parts. */
export class SqlParameters {
  readonly values: unknown[];

  /** @param first Parameters that the statement already has, starting at `$1`. */
  constructor(...first: unknown[]) {
    this.values = first;
  }

  /** Adds a value and returns its placeholder, with a cast to its PostgreSQL type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }
}

/** Writes values into the text of a statement that takes no parameters. */
export class SqlLiterals extends SqlParameters {
  override add(value: unknown, type: string): string {
    return sqlLiteral(value, type);
  }
}
