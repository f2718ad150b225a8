import { load, type LoadResult } from './load';
import { loadRequest, type RequestParts } from './load-request';
import { median } from './median';

/** A server and the request to load it with. */
export interface Contender {
  readonly port: number;
  /** Process of the server, to measure its CPU time. */
  readonly pid?: number;
  readonly request: RequestParts;
  readonly expectedStatus: number;
}

export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

function middle(results: readonly LoadResult[]): LoadResult {
  return {
    requestsPerSecond: median(results.map((result) => result.requestsPerSecond)),
    p50Ms: median(results.map((result) => result.p50Ms)),
    p99Ms: median(results.map((result) => result.p99Ms)),
    cpuMicros: median(results.map((result) => result.cpuMicros)),
  };
}

/**
 * Loads contenders in turns, so that other work on the machine affects all of them alike. The first
 * round warms up and is not counted.
 * @returns the median of the rounds, for each contender.
 */
export async function inTurns(plan: Plan, contenders: readonly Contender[]): Promise<LoadResult[]> {
  const results: LoadResult[][] = contenders.map(() => []);
  for (let round = 0; round <= plan.rounds; round += 1) {
    for (const [index, { port, pid, request, expectedStatus }] of contenders.entries()) {
      const result = await load({
        port,
        pid,
        request: loadRequest(request),
        connections: plan.connections,
        seconds: plan.seconds,
        expectedStatus,
      });
      if (round > 0) results[index]?.push(result);
    }
  }
  return results.map(middle);
}

/** Prints the requests per second as a share of those of the bare server. */
export function share(of: LoadResult, bare: LoadResult): string {
  return `${(of.requestsPerSecond / bare.requestsPerSecond).toFixed(2)} of bare`;
}
