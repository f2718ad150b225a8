import { type DetailCode, invalidField } from '../common/error/app-error';
import { cursorOwner } from '../common/paging/page-request';

/** The datagrid's revision that a reader has seen, with the time of its write. */
export interface SeenRevision {
  readonly revision: number;
  /** In milliseconds since 1970; `null` if the change log has no entry for the revision. */
  readonly atMs: number | null;
}

/** Position of a reader among the rows, which it reads before the changes. */
export interface RowsPosition {
  readonly phase: 'rows';
  /** Id of the last row that it has read. */
  readonly afterId: number;
  /** Revision from which it reads changes after the last row. */
  readonly revision: number;
  readonly seen: SeenRevision;
  /** Version of the columns that it has; `null` if it has none. */
  readonly schemaVersion: number | null;
}

/** Position of a reader in the change log. */
export interface LogPosition {
  /** Revision and part of the entry that it has read, or is reading. */
  readonly revision: number;
  readonly part: number;
  /** Number of rows of the entry that it has read; 0 if it has read all of them. */
  readonly offset: number;
  readonly seen: SeenRevision;
}

/** Position in the change log of a reader of the feed. */
export interface ChangesPosition extends LogPosition {
  readonly phase: 'changes';
  readonly schemaVersion: number | null;
}

/** Position of a reader in the feed of a datagrid: first among the rows, then in the change log. */
export type ChangePosition = RowsPosition | ChangesPosition;

/** Greater than the part of any entry. At this part, all entries of the revision have been read. */
export const LAST_PART = 2_147_483_647;

const VERSION = '1';
/** Greater than the number of rows of any entry. */
const MAX_OFFSET = 1_000_000_000;
const MAX_CURSOR_LENGTH = 200;
const INTEGER = /^(?:0|[1-9]\d{0,15})$/;
/**
 * Separates the version of the columns from the rest. Releases that do not know it read up to here, so
 * that a reader can change between them while they replace each other.
 */
const END = '=';

/** Returns a cursor, which is opaque to clients. */
export function encodeChangeCursor(datagridId: string, position: ChangePosition): string {
  const { seen } = position;
  const own =
    position.phase === 'rows'
      ? ['r', position.revision, position.afterId]
      : ['c', position.revision, position.part, position.offset];
  const parts = [VERSION, cursorOwner(datagridId), ...own, seen.revision, seen.atMs ?? ''];
  const text = Buffer.from(parts.join(':')).toString('base64url');
  return position.schemaVersion === null ? text : text + END + String(position.schemaVersion);
}

/** Reads a cursor. @throws AppError `invalid_request` if it is invalid or of another datagrid. */
export function decodeChangeCursor(datagridId: string, text: string): ChangePosition {
  if (text.length > MAX_CURSOR_LENGTH) throw malformed();
  const end = text.indexOf(END);
  const encoded = end < 0 ? text : text.slice(0, end);
  const schemaVersion = end < 0 ? null : toInteger(text.slice(end + 1));
  const parts = Buffer.from(encoded, 'base64url').toString('latin1').split(':');
  const [version, id, phase, ...rest] = parts;
  if (version !== VERSION) throw malformed();
  const atText = rest.pop() ?? '';
  const atMs = atText === '' ? null : toInteger(atText);
  const position = positionOf(phase, rest.map(toInteger), atMs, schemaVersion);
  if (id !== cursorOwner(datagridId)) {
    throw invalid('cursor_mismatch', 'was issued for another datagrid');
  }
  return position;
}

function toInteger(text: string): number {
  const value = INTEGER.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value)) throw malformed();
  return value;
}

function positionOf(
  phase: string | undefined,
  numbers: readonly number[],
  atMs: number | null,
  schemaVersion: number | null,
): ChangePosition {
  const seen = { revision: numbers.at(-1) ?? 0, atMs };
  const [revision = 0, second = 0, offset = 0] = numbers;
  if (phase === 'r' && numbers.length === 3) {
    return { phase: 'rows', revision, afterId: second, seen, schemaVersion };
  }
  if (phase === 'c' && numbers.length === 4 && second <= LAST_PART && offset <= MAX_OFFSET) {
    return { phase: 'changes', revision, part: second, offset, seen, schemaVersion };
  }
  throw malformed();
}

function malformed(): Error {
  return invalid('invalid_format', 'is not a valid cursor');
}

function invalid(code: DetailCode, message: string): Error {
  return invalidField('cursor', code, message);
}
