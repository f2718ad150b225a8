import { invalidField } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import type { DatagridSchema, LinkColumn } from '../../datagrids/schema/datagrid-schema';

/**
 * Most links in the values that a request writes. PostgreSQL stores as many in about a second, under the
 * lock of the datagrid.
 */
export const MAX_WRITTEN_LINKS = 100_000;

type Values = Readonly<Record<string, JsonValue>>;

/** Returns the ids in the value of a link column, of values by slot. */
export function linkedIdsIn(values: Values, { slot }: LinkColumn): readonly number[] {
  const value = Object.hasOwn(values, slot) ? values[slot] : undefined;
  if (typeof value === 'number') return [value];
  // A checked value has nothing but ids.
  return Array.isArray(value) ? (value as readonly number[]) : [];
}

/**
 * Rejects a request that would write too many links.
 * @param rows Values by slot.
 * @param list Property of the body that holds the rows.
 * @throws AppError `invalid_request`
 */
export function requireFewLinks(
  { links }: Pick<DatagridSchema, 'links'>,
  rows: readonly Values[],
  list: string,
): void {
  let count = 0;
  for (const column of links) {
    for (const values of rows) count += linkedIdsIn(values, column).length;
  }
  if (count <= MAX_WRITTEN_LINKS) return;
  const [own, most] = [count, MAX_WRITTEN_LINKS].map((each) => String(each));
  const message = `has ${own} links; the maximum is ${most}. Send the rows in several requests`;
  throw invalidField(list, 'too_many', message);
}
