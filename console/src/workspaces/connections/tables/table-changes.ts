import type { ConnectionTable } from '../connection';

type Editable = Pick<ConnectionTable, 'name' | 'columns'>;

/** Returns what a user has changed of a table, for `PATCH`. The order of the columns does not matter. */
export function tableChanges(before: Editable, after: Editable): Partial<Editable> {
  const sorted = ({ columns }: Editable): string => JSON.stringify(columns?.toSorted() ?? null);
  return {
    ...(before.name !== after.name && { name: after.name }),
    ...(sorted(before) !== sorted(after) && { columns: after.columns }),
  };
}
