import { connectionsText } from '../../../text/connections-text';
import type { MissingRows, ScheduledImport } from './scheduled-import';

/** A scheduled import as a user edits it. */
export interface ImportDraft {
  readonly name: string;
  readonly isTable: boolean;
  readonly query: string;
  readonly table: string;
  /** `null` before the user has chosen. */
  readonly datagridId: string | null;
  readonly keyColumns: readonly string[];
  readonly missingRows: MissingRows;
  readonly isScheduled: boolean;
  /** Minutes from a run to the next, as text. */
  readonly minutes: string;
}

/** Body of a request that creates a scheduled import. */
export interface ImportBody {
  readonly name: string;
  readonly query: string | null;
  readonly table: string | null;
  readonly datagridId: string;
  readonly keyColumns: readonly string[];
  readonly missingRows: MissingRows;
  readonly intervalSeconds: number | null;
}

/** Body of a request that runs a query without writing. */
export interface PreviewBody {
  readonly query?: string;
  readonly table?: string;
  readonly datagridId?: string;
  readonly keyColumns?: readonly string[];
  readonly columns?: Readonly<Record<string, string>>;
}

const MAX_INTERVAL_SECONDS = 604_800;

export const NEW_IMPORT: ImportDraft = {
  name: '',
  isTable: false,
  query: '',
  table: '',
  datagridId: null,
  keyColumns: [],
  missingRows: 'keep',
  isScheduled: true,
  minutes: '60',
};

/** Returns a saved import for a form. */
export function importDraftOf(saved: ScheduledImport): ImportDraft {
  const { name, query, table, datagridId, keyColumns, missingRows, intervalSeconds } = saved;
  return {
    name,
    isTable: query === null,
    query: query ?? '',
    table: table ?? '',
    datagridId,
    keyColumns,
    missingRows,
    isScheduled: intervalSeconds !== null,
    minutes: intervalSeconds === null ? '60' : `${intervalSeconds / 60}`,
  };
}

const secondsOf = (minutes: string): number =>
  minutes.trim() === '' ? NaN : Math.round(Number(minutes) * 60_000) / 1_000;

/** What is wrong with a form, by its fields. */
export type ImportProblems = Readonly<
  Partial<Record<'datagridId' | 'keyColumns' | 'intervalSeconds', string>>
>;

/** Returns what is wrong before the form is sent. The service checks the rest. */
export function importProblems(draft: ImportDraft): ImportProblems {
  const t = connectionsText.imports.form;
  const seconds = secondsOf(draft.minutes);
  const isInterval = Number.isInteger(seconds) && seconds >= 60 && seconds <= MAX_INTERVAL_SECONDS;
  return {
    ...(draft.datagridId === null && { datagridId: t.noDatagrid }),
    ...(draft.keyColumns.length === 0 && { keyColumns: t.noKeys }),
    ...(draft.isScheduled &&
      !isInterval && {
        intervalSeconds: t.noMinutes,
      }),
  };
}

export function importBody(draft: ImportDraft): ImportBody {
  const { name, isTable, query, table, datagridId, keyColumns, missingRows } = draft;
  return {
    name,
    query: isTable ? null : query,
    table: isTable ? table : null,
    datagridId: datagridId ?? '',
    keyColumns,
    missingRows,
    intervalSeconds: draft.isScheduled ? secondsOf(draft.minutes) : null,
  };
}

/** Returns what a user has changed, for `PATCH`. */
export function importChanges(before: ImportDraft, after: ImportDraft): Partial<ImportBody> {
  const [old, next] = [importBody(before), importBody(after)];
  const names = Object.keys(next) as (keyof ImportBody)[];
  const changed = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(next[name]));
  return Object.fromEntries(changed.map((name) => [name, next[name]]));
}

/** @param columns Mapping of a saved import. */
export function previewBody(
  { isTable, query, table, datagridId, keyColumns }: ImportDraft,
  columns: ScheduledImport['columns'],
): PreviewBody {
  return {
    ...(isTable ? { table } : { query }),
    ...(datagridId !== null && { datagridId }),
    ...(keyColumns.length > 0 && { keyColumns }),
    ...(columns !== null && { columns }),
  };
}
