import { connectionsText } from '../../../text/connections-text';
import type { Tone } from '../../status-badge';
import type { DestinationType } from '../connection';

/** A row of a result that was rejected, by its number in the result. */
export interface RejectedRow {
  readonly line: number;
  readonly details: readonly { readonly field: string; readonly message: string }[];
}

/** A run that has ended. */
export interface ScheduledImportRun {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly rejected: number;
  readonly rejectedRows: readonly RejectedRow[];
  readonly note: string | null;
  readonly error: string | null;
}

export type MissingRows = 'keep' | 'delete';

/** A query or a table of a connection that is read into a datagrid. */
export interface ScheduledImport {
  readonly id: string;
  readonly name: string;
  readonly datagridId: string;
  /** `null` if a table is read. */
  readonly query: string | null;
  readonly table: string | null;
  readonly keyColumns: readonly string[];
  readonly columns: Readonly<Record<string, string>> | null;
  readonly missingRows: MissingRows;
  readonly allowEmptyResult: boolean;
  /** `null` if it runs only on demand. */
  readonly intervalSeconds: number | null;
  readonly enabled: boolean;
  readonly status: 'waiting' | 'running' | 'active' | 'failing' | 'paused';
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
  readonly lastRun?: ScheduledImportRun;
  readonly nextRunAt: string | null;
}

/** What a query returns. */
export interface Preview {
  readonly ok: boolean;
  readonly error: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** Key of the column of the datagrid; `null` if none matches. */
    readonly key: string | null;
  }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

interface Status {
  readonly label: string;
  readonly tone: Tone;
}

const t = connectionsText.imports;

const TONES = {
  waiting: 'neutral',
  running: 'neutral',
  active: 'good',
  failing: 'bad',
  paused: 'neutral',
} as const;

export const importStatusOf = ({ status }: ScheduledImport): Status => ({
  label: t.statuses[status],
  tone: TONES[status],
});

/** Types of connections that can be read. */
const READABLE: readonly DestinationType[] = ['postgresql', 'duckdb', 'clickhouse'];

export const isReadable = (type: DestinationType): boolean => READABLE.includes(type);

/** Returns whether the state of an import can change every second. */
export const isChanging = ({ status, nextRunAt }: ScheduledImport): boolean =>
  status === 'running' ||
  (status !== 'paused' && nextRunAt !== null && Date.parse(nextRunAt) <= Date.now());

/** Returns when an import runs, in words. */
export function scheduleOf({ intervalSeconds }: Pick<ScheduledImport, 'intervalSeconds'>): string {
  return intervalSeconds === null ? t.onDemand : t.every(intervalSeconds / 60);
}

/** Returns what a run has done, in words. */
export function resultOf(run: ScheduledImportRun): string {
  const counts = (['created', 'updated', 'unchanged', 'deleted', 'rejected'] as const)
    .filter((name) => run[name] > 0)
    .map((name) => t.counts[name](run[name]));
  return t.result(run.rowsRead, counts);
}

/** Returns why the first rejected row of a run was rejected; `null` if there is none. */
export function rejectionOf({ rejectedRows: [first] }: ScheduledImportRun): string | null {
  const [detail] = first?.details ?? [];
  if (!first || !detail) return null;
  const field = detail.field === 'line' ? '' : `${detail.field} `;
  return t.rejection(first.line, `${field}${detail.message}`);
}
