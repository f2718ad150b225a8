import { cpuMicros } from './cpu-time';
import type { LoadOptions, LoadRates } from './load-request';
import { loadFromHere } from './node-client';
import { loadWithWrk, wrkVersion } from './wrk';

export interface LoadResult extends Omit<LoadRates, 'requests'> {
  /** CPU time of the server for each request, in microseconds; NaN if it was not measured. */
  readonly cpuMicros: number;
}

const WRK = wrkVersion();

/** The program that sends requests, and what that means for the figures. */
export const GENERATOR =
  WRK === null
    ? 'the client in Node, because wrk is not installed: both servers wait for it, so ratios are too good'
    : `wrk ${WRK}`;

/** Sends requests for `seconds`, with wrk if it is installed. */
export function sendLoad(options: LoadOptions): Promise<LoadRates> {
  return WRK === null ? loadFromHere(options) : loadWithWrk(options);
}

/**
 * Loads a server on the loopback address for `seconds`, over `connections` keep-alive connections
 * with one request at a time each.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const cpuAtStart = cpuMicros(options.pid ?? 0);
  const { requests, ...rates } = await sendLoad(options);
  const cpu = cpuMicros(options.pid ?? 0) - cpuAtStart;
  return { ...rates, cpuMicros: cpu / requests };
}
