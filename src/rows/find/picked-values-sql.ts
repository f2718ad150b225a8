import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { UNPACKED } from '../storage/row-json-sql';
import type { SqlParameters } from './filter/sql-parameters';

/** Selects the values of row `r` in the given columns, by column key. Omits missing values. */
export function pickedValues(columns: readonly SchemaColumn[], parameters: SqlParameters): string {
  const keys = columns.map(({ key }) => key);
  const slots = columns.map(({ slot }) => slot);
  return `(
    WITH ${UNPACKED}
    SELECT coalesce(jsonb_object_agg(f.key, u.v -> f.slot), '{}')
    FROM unnest(${parameters.add(keys, 'text[]')}, ${parameters.add(slots, 'text[]')})
      AS f(key, slot) CROSS JOIN u
    WHERE u.v ? f.slot)`;
}
