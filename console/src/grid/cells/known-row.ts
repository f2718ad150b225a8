import type { JsonValue } from '../../datagrids/datagrid';

/** A row as it was last read. Edits are based on its values and version. */
export interface KnownRow {
  readonly id: number;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly revision: number;
  readonly schemaVersion: number;
}
