import { connectionsText } from '../../text/connections-text';
import type { ConnectionTable } from './connection';

/** One read of a table's state. */
export interface TableRead {
  readonly atMs: number;
  readonly loadedRows: number | null;
  readonly lagSeconds: number | null;
}

/** Reads by the id of the datagrid, oldest first. */
export type History = ReadonlyMap<string, readonly TableRead[]>;

/** Number of last reads that are kept for each table. */
const MAX_READS = 300;

/** Time over which a rate is measured. Rows are loaded in parts, so that it must span some of them. */
const RATE_WINDOW_MS = 60_000;

/** Appends a read of all tables. Tables that are no longer there are dropped. */
export function appendReads(
  history: History,
  tables: readonly ConnectionTable[],
  atMs: number,
): History {
  return new Map(
    tables.map(({ datagridId, loadedRows, lagSeconds }) => [
      datagridId,
      [...(history.get(datagridId) ?? []), { atMs, loadedRows, lagSeconds }].slice(-MAX_READS),
    ]),
  );
}

/**
 * Returns the rows per second of the load in progress, from its reads in the last minute; `null` if
 * they do not tell yet. A load that has begun again has fewer rows than before: only later reads count.
 */
export function rateOf(reads: readonly TableRead[]): number | null {
  const last = reads.at(-1);
  if (last?.loadedRows == null) return null;
  let first = { atMs: last.atMs, rows: last.loadedRows };
  for (const { atMs, loadedRows } of reads.toReversed()) {
    const isPart = loadedRows !== null && loadedRows <= first.rows;
    if (!isPart || last.atMs - atMs > RATE_WINDOW_MS) break;
    first = { atMs, rows: loadedRows };
  }
  const rows = last.loadedRows - first.rows;
  return rows > 0 ? rows / ((last.atMs - first.atMs) / 1_000) : null;
}

export interface Progress {
  readonly loadedRows: number;
  readonly totalRows: number;
  /** From 0 to 100. */
  readonly percent: number;
  readonly rowsPerSecond: number | null;
  readonly secondsLeft: number | null;
}

/** Returns the progress of the load of a table; `null` if none is in progress. */
export function progressOf(table: ConnectionTable, reads: readonly TableRead[]): Progress | null {
  const { loadedRows, totalRows } = table;
  if (loadedRows === null || totalRows === null) return null;
  const rowsPerSecond = rateOf(reads);
  // Rows can be deleted while others are loaded.
  const left = Math.max(0, totalRows - loadedRows);
  return {
    loadedRows,
    totalRows,
    percent: totalRows === 0 ? 100 : Math.min(100, (loadedRows / totalRows) * 100),
    rowsPerSecond,
    secondsLeft: rowsPerSecond === null ? null : left / rowsPerSecond,
  };
}

/** Returns a duration with at most two units, such as `12 s`, `3 min` or `2 h 5 min`. */
export function durationText(seconds: number): string {
  const t = connectionsText.durations;
  const whole = Math.ceil(seconds);
  if (whole < 60) return t.seconds(whole);
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return t.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return t.days(Math.round(hours / 24));
  return minutes % 60 === 0 ? t.hours(hours) : t.hoursAndMinutes(hours, minutes % 60);
}

/** Returns a progress in words, such as `500 of 2,000 rows, 100 rows per second, 15 s left`. */
export function progressText(progress: Progress): string {
  const t = connectionsText.progress;
  const { loadedRows, totalRows, rowsPerSecond, secondsLeft } = progress;
  const rows = t.rows(loadedRows, totalRows);
  if (rowsPerSecond === null || secondsLeft === null) return rows;
  const rate = rowsPerSecond < 10 ? rowsPerSecond.toFixed(1) : Math.round(rowsPerSecond);
  return t.left(rows, rate.toLocaleString(), durationText(secondsLeft));
}

/** Returns how far a table or connection is behind, in words. */
export function lagText(lagSeconds: number | null): string {
  const t = connectionsText.progress;
  if (lagSeconds === null) return t.notLoaded;
  return lagSeconds === 0 ? t.upToDate : t.behind(durationText(lagSeconds));
}

/** Returns the tables' greatest lag; `null` if one of them is not loaded yet, or if there is none. */
export function lagOf(tables: readonly ConnectionTable[]): number | null {
  const lags = tables.map(({ lagSeconds }) => lagSeconds);
  return lags.reduce(
    (most, lag) => (most === null || lag === null ? null : Math.max(most, lag)),
    lags[0] ?? null,
  );
}

export interface LagPoint {
  readonly atMs: number;
  readonly lagSeconds: number;
}

/** Returns the reads of a table that have a lag. */
export const lagPoints = (reads: readonly TableRead[]): LagPoint[] =>
  reads.flatMap(({ atMs, lagSeconds }) => (lagSeconds === null ? [] : [{ atMs, lagSeconds }]));
