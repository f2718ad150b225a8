import { text } from '../text/text';

const BASE = '/api/v1/public';
const SECONDS_FROM_MS = 1_000;

const MS = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const SECONDS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Returns a route without the base path of the API, with parameters as in its documentation. */
export function pathOf(route: string): string {
  const path = route.startsWith(BASE) ? route.slice(BASE.length) : route;
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

export function durationText(ms: number): string {
  return ms < SECONDS_FROM_MS
    ? text.requests.durationMs(MS.format(ms))
    : text.requests.durationSeconds(SECONDS.format(ms / 1_000));
}

/** Returns the color of a status. */
export function colorOf(status: number | null): 'green' | 'gray' | 'yellow' | 'red' {
  if (status === null || (status >= 300 && status < 400)) return 'gray';
  if (status < 300) return 'green';
  return status < 500 ? 'yellow' : 'red';
}
