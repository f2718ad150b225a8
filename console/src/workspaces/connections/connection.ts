import { countOf } from '../../common/count-of';
import type { Tone } from '../status-badge';

/** Shapes of the public API. Dates are RFC 3339 in UTC. */

export type DestinationType =
  'postgresql' | 'duckdb' | 'clickhouse' | 'mysql' | 'parquet' | 'iceberg' | 'snowflake';

/** Settings of a destination, without its secret. */
export type Settings = Readonly<Record<string, unknown>>;

/** Effect of deleted rows in the destination. */
export type Deletions = 'delete' | 'mark' | 'history';

/** What each choice of deletions adds to the tables, and how the console names it. */
export const DELETIONS: Readonly<
  Record<
    Deletions,
    { readonly choice: string; readonly fact: string; readonly columns: readonly string[] }
  >
> = {
  delete: { choice: 'Delete them in the destination', fact: 'Are deleted', columns: [] },
  mark: {
    choice: 'Keep them, with the time of the deletion in _deleted_at',
    fact: 'Stay, marked as deleted',
    columns: ['_deleted_at'],
  },
  history: {
    choice: 'Keep them, and every earlier version of all rows, with its end time in _valid_to',
    fact: 'Stay, with all earlier versions of rows',
    columns: ['_valid_to'],
  },
};

export interface Connection {
  readonly id: string;
  readonly name: string;
  readonly type: DestinationType;
  readonly settings: Settings;
  readonly hasSecret: boolean;
  /** `null` for all datagrids of the workspace, also future ones. */
  readonly datagridIds: readonly string[] | null;
  readonly deletions: Deletions;
  /** `null` if changes are synced at once. */
  readonly intervalSeconds: number | null;
  readonly enabled: boolean;
  readonly status: 'active' | 'failing' | 'paused';
  readonly tables: number;
  readonly failingTables: number;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
  readonly syncedAt: string | null;
  readonly createdAt: string;
}

/** What a user can request for a table. Each one includes the ones after it. */
export type TableRequest = 'reset' | 'repair' | 'check';

export interface ConnectionTable {
  readonly datagridId: string;
  readonly name: string;
  /** `null` for all columns, also future ones. */
  readonly columns: readonly string[] | null;
  readonly status: 'waiting' | 'loading' | 'synced' | 'failing' | 'paused';
  /** `null` if no load is in progress. */
  readonly loadedRows: number | null;
  readonly totalRows: number | null;
  /** `null` before the first load begins. */
  readonly revision: number | null;
  readonly lagSeconds: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
  readonly checkedAt: string | null;
  readonly differentRows: number | null;
  readonly request: TableRequest | null;
}

/** A run that has changed a table, or failed. */
export interface ConnectionRun {
  readonly id: string;
  readonly datagridId: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly rows: number;
  readonly bytes: number;
  readonly error: string | null;
}

export interface TestResult {
  readonly ok: boolean;
  readonly error: string | null;
}

interface Status {
  readonly label: string;
  readonly tone: Tone;
}

const STATUSES: Readonly<Record<Connection['status'], Status>> = {
  active: { label: 'Active', tone: 'good' },
  failing: { label: 'Failing', tone: 'bad' },
  paused: { label: 'Paused', tone: 'neutral' },
};

export const statusOf = ({ status }: Connection): Status => STATUSES[status];

const TABLE_STATUSES: Readonly<Record<ConnectionTable['status'], Status>> = {
  waiting: { label: 'Waiting', tone: 'neutral' },
  loading: { label: 'Loading', tone: 'neutral' },
  synced: { label: 'Synced', tone: 'good' },
  failing: { label: 'Failing', tone: 'bad' },
  paused: { label: 'Paused', tone: 'neutral' },
};

export const tableStatusOf = ({ status }: ConnectionTable): Status => TABLE_STATUSES[status];

/** Returns whether the first load of a table has begun, so that its name is fixed. */
export const isStarted = ({ revision, loadedRows, status }: ConnectionTable): boolean =>
  revision !== null || loadedRows !== null || status === 'synced';

/** Returns whether the state of a table can change every second. */
export const isMoving = ({ status, request, lagSeconds }: ConnectionTable): boolean =>
  status === 'waiting' ||
  status === 'loading' ||
  (status === 'synced' && (request !== null || lagSeconds !== 0));

const DONE: Readonly<Record<TableRequest, string>> = {
  reset: 'loads the table again',
  repair: 'checks and repairs the table',
  check: 'checks the table',
};

/** Returns what the next run of a table does; `null` if nothing was requested. */
export const requestOf = ({ request }: ConnectionTable): string | null =>
  request && `The next run ${DONE[request]}.`;

/** Returns the result of the last check of a table; `null` if there was none. */
export function checkOf({ checkedAt, differentRows }: ConnectionTable): string | null {
  if (checkedAt === null) return null;
  if (!differentRows) return 'no differences';
  return `${countOf(differentRows, 'row')} ${differentRows === 1 ? 'was' : 'were'} different`;
}

type Editable = Pick<ConnectionTable, 'name' | 'columns'>;

/** Returns what a user has changed of a table, for `PATCH`. The order of the columns does not matter. */
export function tableChanges(before: Editable, after: Editable): Partial<Editable> {
  const sorted = ({ columns }: Editable): string => JSON.stringify(columns?.toSorted() ?? null);
  return {
    ...(before.name !== after.name && { name: after.name }),
    ...(sorted(before) !== sorted(after) && { columns: after.columns }),
  };
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Returns a number of bytes in decimal units, such as `12.3 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

/** Returns the duration of a run in seconds, with one decimal if it is short. */
export function runSeconds({ startedAt, endedAt }: ConnectionRun): string {
  const seconds = Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
  return seconds < 10 ? seconds.toFixed(1) : Math.round(seconds).toLocaleString();
}

/** Returns how often a connection is synced, in words. */
export function frequencyOf({ intervalSeconds }: Pick<Connection, 'intervalSeconds'>): string {
  if (intervalSeconds === null) return 'Continuously';
  return intervalSeconds === 60 ? 'Every minute' : `Every ${intervalSeconds / 60} minutes`;
}
