import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { SqlParameters } from './filter/sql-parameters';

/** The values of row `r` in some columns, by column key; those that it has. */
export function pickedValues(columns: readonly SchemaColumn[], parameters: SqlParameters): string {
  const keys = columns.map(({ key }) => key);
  const slots = columns.map(({ slot }) => slot);
  return `(
    SELECT coalesce(jsonb_object_agg(f.key, r."values" -> f.slot), '{}')
    FROM unnest(${parameters.add(keys, 'text[]')}, ${parameters.add(slots, 'text[]')})
      AS f(key, slot)
    WHERE r."values" ? f.slot)`;
}
