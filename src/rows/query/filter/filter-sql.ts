import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import type { Filter } from './parse-filter';
import { containsSql, type SqlParameters, valueSql } from './value-sql';

/** Returns a condition on row `r`. A row matches if it is true, but not if it is false or NULL. */
export function filterSql(filter: Filter, parameters: SqlParameters): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      if (filter.parts.length === 0) return filter.kind === 'and' ? 'true' : 'false';
      const parts = filter.parts.map((part) => filterSql(part, parameters));
      return `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      // NULL does not match, so a row without a value matches the negated condition.
      return `(${filterSql(filter.part, parameters)}) IS NOT TRUE`;
    case 'linked': {
      const ids = parameters.add(filter.ids, 'bigint[]');
      return `r.id IN (
        SELECT l.row_id FROM row_links l
        WHERE l.datagrid_id = $1 AND l.column_id = ${parameters.add(filter.column.id, 'int')}
          AND l.target_id = ANY(${ids}))`;
    }
    case 'column':
      return filter.operator.sql(filter.column, filter.operands, parameters);
  }
}

/**
 * Maximum number of columns that are read with `->>`, which decompresses the whole row each time.
 * For more columns the row is decompressed once and expanded into its values.
 */
const MAX_SINGLE_LOOKUPS = 64;

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
