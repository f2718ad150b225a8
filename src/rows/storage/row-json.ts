import type { JsonValue } from '../../common/json/token-reader';

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

/** A column whose numbers follow from the ids of rows: they differ by `numberOffset`. */
interface NumberColumns {
  readonly numbers: readonly { readonly key: string; readonly numberOffset: number }[];
}

/**
 * Prints created rows, in the order of their ids.
 * @param values The values of each row, as for `printRow`.
 * @param readOnly Columns whose numbers are added to the values; `null` for none.
 */
export function printCreatedRows(
  { firstId, revision, at }: Created,
  values: readonly (string | null)[],
  readOnly: NumberColumns | null,
): string[] {
  return values.map((json, index) => {
    const id = firstId + index;
    const printed = json && readOnly ? withNumbers(json, id, readOnly) : json;
    return printRow({ id, revision, createdAt: at, updatedAt: at }, printed);
  });
}

function withNumbers(json: string, id: number, { numbers }: NumberColumns): string {
  const added = numbers.map(({ key, numberOffset }) => [key, id + numberOffset]);
  return withMembers(json, Object.fromEntries(added) as Record<string, number>);
}

/** Returns a JSON object with further members, which win over those of the same name. */
export function withMembers(json: string, members: Readonly<Record<string, JsonValue>>): string {
  const added = JSON.stringify(members).slice(1, -1);
  if (added === '') return json;
  return json === '{}' ? `{${added}}` : `${json.slice(0, -1)},${added}}`;
}

/** Upper bound of the bytes of a printed row apart from its values. */
const BYTES_AROUND_VALUES = 200;
/** Digits of a number, quotes, a colon and a comma. */
const BYTES_OF_NUMBER = 21;

/**
 * Returns an upper bound of the length that `printCreatedRows` prints, in UTF-16 code units. It can
 * be called before the rows exist.
 */
export function printedBytes(
  values: readonly (string | null)[],
  readOnly: NumberColumns | null,
): number {
  let around = BYTES_AROUND_VALUES;
  for (const { key } of readOnly?.numbers ?? []) around += key.length + BYTES_OF_NUMBER;
  let bytes = 0;
  for (const json of values) bytes += around + (json?.length ?? 0);
  return bytes;
}
