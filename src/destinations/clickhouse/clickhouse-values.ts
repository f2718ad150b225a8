import { DestinationError, type SyncState } from '../destination';
import type { UntrustedRow } from './clickhouse-session';

const MAX_STATE_LENGTH = 16 * 1024 * 1024;
/** The service never issues a higher token. A higher one would lock the table for ever. */
const MAX_TOKEN = 2n ** 33n;

/** @throws DestinationError if the server has sent no such text. */
export function textOf(row: UntrustedRow | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string' || value.length > MAX_STATE_LENGTH) throw unexpected();
  return value;
}

export function stateOf(row: UntrustedRow): SyncState | null {
  return (row['state'] ?? null) === null ? null : textOf(row, 'state');
}

/** Reads an id, a revision or a count. @throws DestinationError */
export function integerOf(row: UntrustedRow, column: string): number {
  const text = textOf(row, column);
  if (!/^-?\d{1,20}$/.test(text)) throw unexpected();
  return Number(text);
}

/** Reads a sum, which may be larger than a safe integer. @throws DestinationError */
export function sumOf(row: UntrustedRow, column: string): string {
  const text = textOf(row, column);
  if (!/^-?\d{1,40}$/.test(text)) throw unexpected();
  return text;
}

/** Reads an integer of up to 128 bits. @throws DestinationError */
export function positionOf(row: UntrustedRow): bigint {
  const text = textOf(row, 'position');
  if (!/^\d{1,39}$/.test(text) || BigInt(text) >> 128n > 0n) throw unexpected();
  return BigInt(text);
}

/** @throws DestinationError if a user has changed the token. */
export function checkedToken(token: bigint): number {
  if (token <= MAX_TOKEN) return Number(token);
  throw new DestinationError(
    'configuration',
    'The table _datagrid_sync has a token that is not valid. Delete its row, or drop the table; the datagrid is then loaded again.',
  );
}

export function unexpected(): DestinationError {
  return new DestinationError('unavailable', 'The database failed.');
}
