import type { Created } from './row-create.repository';

/** Upper bound of the bytes of a printed row apart from its values. */
const BYTES_AROUND_VALUES = 200;

/**
 * Prints created rows as the API returns them, in the order of their ids.
 * @param values The values of each row by column key, as JSON text; `null` to print the row without
 *   values.
 */
export function printRows(
  { firstId, revision, at }: Created,
  values: readonly (string | null)[],
): string[] {
  const rest = `,"revision":${String(revision)},"createdAt":"${at}","updatedAt":"${at}"}`;
  return values.map((json, index) => {
    const printed = json === null ? '' : `,"values":${json}`;
    return `{"id":${String(firstId + index)}${printed}${rest}`;
  });
}

/**
 * Returns an upper bound of the length that `printRows` prints, in UTF-16 code units. It can be
 * called before the rows exist.
 */
export function printedBytes(values: readonly (string | null)[]): number {
  let bytes = 0;
  for (const json of values) bytes += BYTES_AROUND_VALUES + (json?.length ?? 0);
  return bytes;
}
