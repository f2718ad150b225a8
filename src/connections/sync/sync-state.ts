import type { LogPosition, SeenRevision } from '../../changes/change-cursor';
import { isTargetType, type TargetColumn } from '../../destinations/destination';

/** A load in progress: rows in order of their ids, into a table beside the target table. */
export interface LoadState {
  readonly phase: 'load';
  /** Revision from which changes are read after the last row. */
  readonly revision: number;
  readonly seen: SeenRevision;
  /** Rows with ids up to this one are loaded; `ALL_ROWS` after the last one. */
  readonly afterId: number;
  readonly columns: readonly TargetColumn[];
  /** Ids of all columns of the datagrid when the columns were chosen. */
  readonly knownIds: readonly number[];
}

/**
 * After all rows that there were. The log has those that were created since: a load that went on to them
 * would never end if rows are created all the time.
 */
export const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/** The target table has all rows. */
export interface ChangesState {
  readonly phase: 'changes';
  readonly position: LogPosition;
  readonly columns: readonly TargetColumn[];
  readonly knownIds: readonly number[];
  /**
   * All rows after this id are read again, because values of a column are missing; `null` if all
   * values are there.
   */
  readonly rescanAfterId: number | null;
  /** Ids of the columns whose values are missing in rows that are read again. */
  readonly fillingIds: readonly number[];
}

/** Where a sync stands. The destination stores it with the data. */
export type TableState = LoadState | ChangesState;

const VERSION = 1;
/** More than any state has. */
const MAX_STATE_LENGTH = 4 * 1024 * 1024;
const MAX_COLUMNS = 5_000;
const MAX_NAME_LENGTH = 1_000;

export function printState(state: TableState): string {
  return JSON.stringify({ version: VERSION, ...state });
}

/**
 * Reads a stored state. The owner of the destination can write anything there, so nothing of it is
 * used before it is checked.
 * @returns `null` if it is missing, of another version, or not valid. The table is then loaded again.
 */
export function readState(text: string | null): TableState | null {
  if (text === null || text.length > MAX_STATE_LENGTH) return null;
  const given = parse(text);
  if (given?.['version'] !== VERSION) return null;
  const columns = readArray(given['columns'], readColumn);
  const knownIds = readArray(given['knownIds'], readCount);
  if (!columns || !knownIds) return null;
  if (given['phase'] === 'load') return readLoad(given, columns, knownIds);
  if (given['phase'] === 'changes') return readChanges(given, columns, knownIds);
  return null;
}

type Given = Readonly<Record<string, unknown>>;

function readLoad(
  given: Given,
  columns: readonly TargetColumn[],
  knownIds: readonly number[],
): LoadState | null {
  const revision = readCount(given['revision']);
  const seen = readSeen(given['seen']);
  const afterId = readCount(given['afterId']);
  if (revision === null || !seen || afterId === null) return null;
  return { phase: 'load', revision, seen, afterId, columns, knownIds };
}

function readChanges(
  given: Given,
  columns: readonly TargetColumn[],
  knownIds: readonly number[],
): ChangesState | null {
  const position = asObject(given['position']);
  const revision = readCount(position?.['revision']);
  const part = readCount(position?.['part']);
  const offset = readCount(position?.['offset']);
  const seen = readSeen(position?.['seen']);
  const rescan = given['rescanAfterId'];
  // States of earlier releases do not have it.
  const fillingIds = readArray(given['fillingIds'] ?? [], readCount);
  const rescanAfterId = rescan === null ? null : readCount(rescan);
  if (revision === null || part === null || offset === null || !seen || !fillingIds) return null;
  if (rescan !== null && rescanAfterId === null) return null;
  return {
    phase: 'changes',
    position: { revision, part, offset, seen },
    columns,
    knownIds,
    rescanAfterId,
    fillingIds,
  };
}

function readSeen(value: unknown): SeenRevision | null {
  const given = asObject(value);
  const revision = readCount(given?.['revision']);
  const at = given?.['atMs'];
  const atMs = at === null ? null : readCount(at);
  if (revision === null || (at !== null && atMs === null)) return null;
  return { revision, atMs };
}

function readColumn(value: unknown): TargetColumn | null {
  const { id, name, type } = asObject(value) ?? {};
  const columnId = readCount(id);
  const isName = typeof name === 'string' && name.length > 0 && name.length <= MAX_NAME_LENGTH;
  if (columnId === null || !isName || name.includes('\0') || !isTargetType(type)) return null;
  return { id: columnId, name, type };
}

function readArray<T>(value: unknown, read: (element: unknown) => T | null): T[] | null {
  if (!Array.isArray(value) || value.length > MAX_COLUMNS) return null;
  const elements = value.map(read);
  return elements.every((element) => element !== null) ? elements : null;
}

function readCount(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function asObject(value: unknown): Given | null {
  return typeof value === 'object' && value !== null ? (value as Given) : null;
}

function parse(text: string): Given | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}
