import { connectionsText } from '../../text/connections-text';
import type { Tone } from '../status-badge';

/** Shapes of the public API. Dates are RFC 3339 in UTC. */

export type DestinationType =
  | 'postgresql'
  | 'duckdb'
  | 'clickhouse'
  | 'mysql'
  | 'parquet'
  | 'iceberg'
  | 'snowflake';

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
  delete: { ...connectionsText.deletions.delete, columns: [] },
  mark: { ...connectionsText.deletions.mark, columns: ['_deleted_at'] },
  history: { ...connectionsText.deletions.history, columns: ['_valid_to'] },
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

const TONES = {
  active: 'good',
  synced: 'good',
  failing: 'bad',
  waiting: 'neutral',
  loading: 'neutral',
  paused: 'neutral',
} as const;

export const statusOf = ({ status }: Connection): Status => ({
  label: connectionsText.statuses[status],
  tone: TONES[status],
});

export const tableStatusOf = ({ status }: ConnectionTable): Status => ({
  label: connectionsText.tables.statuses[status],
  tone: TONES[status],
});

/** Returns whether the first load of a table has begun, so that its name is fixed. */
export const isStarted = ({ revision, loadedRows, status }: ConnectionTable): boolean =>
  revision !== null || loadedRows !== null || status === 'synced';

/** Returns whether the state of a table can change every second. */
export const isMoving = ({ status, request, lagSeconds }: ConnectionTable): boolean =>
  status === 'waiting' ||
  status === 'loading' ||
  (status === 'synced' && (request !== null || lagSeconds !== 0));

/** Returns what the next run of a table does; `null` if nothing was requested. */
export const requestOf = ({ request }: ConnectionTable): string | null =>
  request && connectionsText.tables.requests[request];

/** Returns the result of the last check of a table; `null` if there was none. */
export function checkOf({ checkedAt, differentRows }: ConnectionTable): string | null {
  if (checkedAt === null) return null;
  if (!differentRows) return connectionsText.tables.noDifferences;
  return connectionsText.tables.differences(differentRows);
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
  if (bytes < 1_000) return connectionsText.runs.bytes(bytes);
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
  if (intervalSeconds === null) return connectionsText.frequency.continuous;
  return connectionsText.frequency.every(intervalSeconds / 60);
}
