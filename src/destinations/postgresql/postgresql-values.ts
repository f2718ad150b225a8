import {
  DestinationError,
  type SyncState,
  type TargetColumn,
  type TargetType,
} from '../destination';

/** With the names that the catalog gives them. */
export const TYPES: Readonly<Record<TargetType, string>> = {
  text: 'text',
  integer: 'bigint',
  double: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamp with time zone',
  json: 'jsonb',
};

/** Table with the states of all tables of a schema. */
export const STATE_TABLE = '_datagrid_sync';
const MAX_STATE_LENGTH = 16 * 1024 * 1024;
/** The service never issues a higher token. A higher one would lock the table for ever. */
const MAX_TOKEN = 2 ** 33;

/** A value of a result, which the server may have left out. */
type Text = string | null | undefined;

/** Reads an id, a revision or a count. @throws DestinationError */
export function integerOf(text: Text): number {
  if (typeof text === 'string' && /^-?\d{1,19}$/.test(text)) return Number(text);
  throw unexpected();
}

/** Reads a sum, which may be larger than a safe integer. @throws DestinationError */
export function sumOf(text: Text): string {
  if (typeof text === 'string' && /^-?\d{1,40}$/.test(text)) return text;
  throw unexpected();
}

function unexpected(): DestinationError {
  return new DestinationError('unavailable', 'The database failed.');
}

/** @throws DestinationError if a user has changed the token. */
export function tokenOf(text: Text): number {
  const token = typeof text === 'string' && /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  if (token <= MAX_TOKEN) return token;
  throw new DestinationError(
    'configuration',
    'The table _datagrid_sync has a token that is not valid. Delete its row, or drop the table; the datagrid is then loaded again.',
  );
}

/** Reads the names and the types of stored columns. Columns that are not valid count as gone. */
export function columnsOf(text: string): readonly TargetColumn[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    throw unexpected();
  }
  const columns = Array.isArray(stored) ? (stored as unknown[]) : [];
  return columns.filter(isColumn);
}

function isColumn(value: unknown): value is TargetColumn {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, type } = value as Partial<Record<keyof TargetColumn, unknown>>;
  return (
    typeof id === 'number' &&
    typeof name === 'string' &&
    typeof type === 'string' &&
    Object.hasOwn(TYPES, type)
  );
}

/** @throws DestinationError if the state is too long. */
export function stateOf(text: Text): SyncState | null {
  if (text === undefined || text === null) return null;
  if (text.length > MAX_STATE_LENGTH) throw unexpected();
  return text;
}
