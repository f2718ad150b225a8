import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import type { SqlParameters } from './sql-parameters';
import { valueSql, withoutCase } from './value-sql';

/**
 * Maximum product of the length of the text and the length of the needle, in bytes, for `strpos`.
 * Its time grows with that product, and it cannot be cancelled. The maximum takes about 1.5 ms.
 */
const MAX_STRPOS_WORK = 1024 * 1024;

/**
 * Maximum number of columns that are read with `->>`, which decompresses the whole row each time.
 * For more columns the row is decompressed once and expanded into its values.
 */
const MAX_SINGLE_LOOKUPS = 64;

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

/** Returns the condition that any of the columns of row `r` contains a text; `false` for none. */
export function searchSql(
  search: string,
  columns: readonly SchemaColumn[],
  parameters: SqlParameters,
): string {
  // Returns before it adds the parameter, because PostgreSQL rejects one that is not used.
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
