/** A row as the API returns it, apart from its values. */
export interface RowHead {
  readonly id: number;
  readonly revision: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * Returns a row as JSON text, with the same properties as `ROW_JSON` prints in SQL.
 * @param values The values by column key, as JSON text; `null` to print the row without values.
 */
export function printRow(row: RowHead, values: string | null): string {
  const printed = values === null ? '' : `,"values":${values}`;
  return `{"id":${String(row.id)}${printed},"revision":${String(row.revision)},"createdAt":"${row.createdAt}","updatedAt":"${row.updatedAt}"}`;
}

/** Rows that one statement created. */
export interface Created {
  /** Id of the first row. The ids of the other rows follow without gaps. */
  readonly firstId: number;
  /** The revision of the datagrid after the write. */
  readonly revision: number;
  /** `createdAt` and `updatedAt` of the rows. */
  readonly at: string;
}

/**
 * Prints created rows, in the order of their ids.
 * @param values The values of each row, as for `printRow`.
 */
export function printCreatedRows(
  { firstId, revision, at }: Created,
  values: readonly (string | null)[],
): string[] {
  return values.map((json, index) =>
    printRow({ id: firstId + index, revision, createdAt: at, updatedAt: at }, json),
  );
}

/** Upper bound of the bytes of a printed row apart from its values. */
const BYTES_AROUND_VALUES = 200;

/**
 * Returns an upper bound of the length that `printCreatedRows` prints, in UTF-16 code units. It can
 * be called before the rows exist.
 */
export function printedBytes(values: readonly (string | null)[]): number {
  let bytes = 0;
  for (const json of values) bytes += BYTES_AROUND_VALUES + (json?.length ?? 0);
  return bytes;
}
