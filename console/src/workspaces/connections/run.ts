import type { ConnectionRun } from './connection';

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
