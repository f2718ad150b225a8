import type { Created } from './row-create.repository';

/** More than what stands around the values of a printed row. */
const BYTES_AROUND_VALUES = 200;

/**
 * Created rows as the API gives them, in the order of their ids.
 * @param values Of each row, by column key, as JSON text; `null`: without values.
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

/** What `printRows` prints at most, known before there are rows. */
export function printedBytes(values: readonly (string | null)[]): number {
  let bytes = 0;
  for (const json of values) bytes += BYTES_AROUND_VALUES + (json?.length ?? 0);
  return bytes;
}
