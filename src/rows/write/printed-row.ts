import type { Created } from './row-create.repository';

/**
 * Created rows as the API gives them, in the order of their ids. `values` holds the values of
 * each, by column key, as JSON text.
 */
export function printRows({ firstId, revision, at }: Created, values: readonly string[]): string[] {
  const rest = `,"revision":${String(revision)},"createdAt":"${at}","updatedAt":"${at}"}`;
  return values.map((json, index) => `{"id":${String(firstId + index)},"values":${json}${rest}`);
}
