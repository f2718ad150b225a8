import { linksAt, stringEnd } from '../link/linked-ids';

/** Depth of the members of a row, and of its values, in an array of rows. */
const ROW_DEPTH = 2;
const VALUES_DEPTH = 3;

/** A row in the text of a page. */
export interface RowText {
  readonly id: number;
  /** Index of the first character after the bracket that opens its values, and of the one that closes them. */
  readonly start: number;
  readonly end: number;
  /** Linked rows by the key of the link column, in the order of the links. Without a value, it is absent. */
  readonly links: ReadonlyMap<string, readonly number[]>;
  /** Where members begin and end that are not returned. */
  readonly dropped: readonly (readonly [start: number, end: number])[];
}

/** A row while it is read. */
type OpenRow = Omit<RowText, 'dropped'> & {
  id: number;
  start: number;
  end: number;
  readonly links: Map<string, readonly number[]>;
  readonly dropped: [number, number][];
};

/**
 * Finds the rows in the text of a page. Like `linkedIdsOf`, it does not parse the values: numbers keep
 * their digits, and a page costs little time and memory.
 * @param json Array of rows, as PostgreSQL has printed it.
 * @param linkKeys Keys of the link columns to read.
 * @param droppedKeys Keys of the columns to leave out.
 */
export function readRows(
  json: string,
  linkKeys: ReadonlySet<string>,
  droppedKeys: ReadonlySet<string>,
): RowText[] {
  const rows: OpenRow[] = [];
  let row = newRow();
  let depth = 0;
  let isDropping = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      if (depth === ROW_DEPTH) row = newRow();
      else if (depth === VALUES_DEPTH) row.start = at + 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (isDropping && depth === VALUES_DEPTH) isDropping = endMember(row, at);
      if (depth === VALUES_DEPTH) row.end = at;
      if (depth === ROW_DEPTH) rows.push(row);
      depth -= 1;
    } else if (code === COMMA) {
      if (isDropping && depth === VALUES_DEPTH) isDropping = endMember(row, at);
    } else if (code === QUOTE) {
      const end = stringEnd(json, at + 1);
      if (json.charCodeAt(end + 1) === COLON) {
        const name = json.slice(at + 1, end);
        if (depth === ROW_DEPTH && name === 'id') row.id = Number.parseInt(json.slice(end + 2), 10);
        if (depth === VALUES_DEPTH) {
          if (linkKeys.has(name)) row.links.set(name, linksAt(json, end + 2));
          isDropping = droppedKeys.has(name);
          if (isDropping) row.dropped.push([at, at]);
        }
      }
      at = end;
    }
  }
  return rows;
}

function newRow(): OpenRow {
  return { id: 0, start: 0, end: 0, links: new Map(), dropped: [] };
}

/** Ends the member to leave out. @returns `false`, as the next member is not left out yet. */
function endMember(row: OpenRow, at: number): false {
  const last = row.dropped.at(-1);
  if (last) last[1] = at;
  return false;
}

/**
 * Returns the text with values that are added to the rows, and without members that are left out.
 * @param addedOf Returns the members to add to the values of a row, separated by commas; '' for none.
 */
export function withAdded(
  json: string,
  rows: readonly RowText[],
  addedOf: (row: RowText) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const row of rows) {
    const kept = keptMembers(json, row);
    const added = addedOf(row);
    const separator = kept !== '' && added !== '' ? ', ' : '';
    parts.push(json.slice(from, row.start), kept, separator, added);
    from = row.end;
  }
  parts.push(json.slice(from));
  return parts.join('');
}

/** Returns the members of the values of a row that are not left out. */
function keptMembers(json: string, { start, end, dropped }: RowText): string {
  if (dropped.length === 0) return json.slice(start, end);
  const kept: string[] = [];
  let from = start;
  for (const [begin, stop] of dropped) {
    kept.push(json.slice(from, begin));
    from = stop + 1;
  }
  if (from < end) kept.push(json.slice(from, end));
  // Each part begins or ends with the comma of a member that is left out.
  return kept
    .map((part) => part.trim().replace(/^,|,$/g, '').trim())
    .filter((part) => part !== '')
    .join(', ');
}

const QUOTE = '"'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const [OPEN_OBJECT, CLOSE_OBJECT] = ['{'.charCodeAt(0), '}'.charCodeAt(0)];
const [OPEN_ARRAY, CLOSE_ARRAY] = ['['.charCodeAt(0), ']'.charCodeAt(0)];
