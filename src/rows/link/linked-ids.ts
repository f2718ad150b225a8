import { invalidField } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import type { DatagridSchema, LinkColumn } from '../../datagrids/schema/datagrid-schema';

/** Depth of the members of `values`, in a list of rows and in an object of rows. */
const VALUES_DEPTH = 3;

/** A row id, or an array of row ids, at `lastIndex`. */
const LINKS = /\s*(\d+|\[[\d, ]*\])/y;

/**
 * Returns the ids in the values of link columns, in ascending order, by column key. Other values are
 * skipped: parsing a page of 2 MB with many small objects can take half a second and 30 MB.
 * @param json Array of rows, or object of rows, as PostgreSQL has printed it.
 */
export function linkedIdsOf(
  json: string,
  keys: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const ids = new Map(keys.map((key) => [key, new Set<number>()]));
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
    else if (code === QUOTE) {
      const end = stringEnd(json, at + 1);
      const isName = json.charCodeAt(end + 1) === COLON;
      const found = depth === VALUES_DEPTH && isName && ids.get(json.slice(at + 1, end));
      if (found) for (const id of linksAt(json, end + 2)) found.add(id);
      at = end;
    }
  }
  return new Map([...ids].map(([key, found]) => [key, [...found].sort((a, b) => a - b)]));
}

/** Returns the links in the value at an index: none if the column was replaced by one of another type after it was checked. */
export function linksAt(json: string, at: number): number[] {
  LINKS.lastIndex = at;
  const text = LINKS.exec(json)?.[1] ?? '';
  const end = json.charAt(LINKS.lastIndex);
  if (text === '' || (end !== ',' && end !== '}')) return [];
  return [JSON.parse(text) as number | number[]].flat().filter(Number.isSafeInteger);
}

/** Returns the index of the quote that ends a string. */
export function stringEnd(json: string, start: number): number {
  let end = json.indexOf('"', start);
  while (isEscaped(json, start, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, start: number, at: number): boolean {
  let first = at;
  while (first > start && json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

const QUOTE = '"'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const [OPEN_OBJECT, CLOSE_OBJECT] = ['{'.charCodeAt(0), '}'.charCodeAt(0)];
const [OPEN_ARRAY, CLOSE_ARRAY] = ['['.charCodeAt(0), ']'.charCodeAt(0)];

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
  const message = `has ${String(count)} links; the maximum is ${String(MAX_WRITTEN_LINKS)}. Send the rows in several requests`;
  throw invalidField(list, 'too_many', message);
}
