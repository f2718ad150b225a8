import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import type { SqlParameters } from './sql-parameters';
import { valueSql, withoutCase } from './value-sql';

/**
 * `strpos` takes the length of the text times the length of the needle and cannot be cancelled, so
 * it is used up to this product only: some 1.5 ms.
 */
const MAX_STRPOS_WORK = 1024 * 1024;

/** Each `->>` decompresses the whole row again: from here on a row is taken apart once instead. */
const MAX_SINGLE_LOOKUPS = 64;

/**
 * A condition that a text contains a needle, ignoring case. A long text is searched by a regular
 * expression (`***=` makes the rest of it literal), which takes time linear in the text and can be
 * cancelled. For short texts `strpos` is faster.
 * @param text An expression that gives text.
 * @param needle A parameter or literal, of `MAX_SEARCH_CHARACTERS` at most.
 */
export function containsSql(text: string, needle: string): string {
  const folded = withoutCase(needle);
  const work = `octet_length(${text})::bigint * octet_length(${needle})`;
  return `CASE WHEN ${work} < ${String(MAX_STRPOS_WORK)}
    THEN strpos(${withoutCase(text)}, ${folded}) > 0
    ELSE ${withoutCase(text)} COLLATE "C" ~ ('***=' || ${folded}) COLLATE "C" END`;
}

/** A condition that any of the columns of row `r` contains a text; `false` where there are none. */
export function searchSql(
  search: string,
  columns: readonly SchemaColumn[],
  parameters: SqlParameters,
): string {
  // PostgreSQL rejects a parameter that is not used.
  if (columns.length === 0) return 'false';
  const needle = parameters.add(search, 'text');
  if (columns.length > MAX_SINGLE_LOOKUPS) {
    const slots = parameters.add(
      columns.map(({ slot }) => slot),
      'text[]',
    );
    return `EXISTS (
      SELECT FROM jsonb_each_text(r."values") t
      WHERE t.key = ANY(${slots}) AND ${containsSql('t.value', needle)})`;
  }
  const hits = columns.map((column) => containsSql(valueSql(column, parameters), needle));
  return `(${hits.join(' OR ')})`;
}
