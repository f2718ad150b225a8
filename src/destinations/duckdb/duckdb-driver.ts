import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { DestinationError } from '../destination';

/** Options of every file: DuckDB loads no code and no secrets. */
export const SAFE_OPTIONS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
} as const;

const LOW_PRIORITY = 5;

/** Loads DuckDB, which is an optional dependency. */
export async function loadDriver(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new DestinationError(
      'configuration',
      'DuckDB is not installed. The operator must install the npm package @duckdb/node-api.',
      { cause },
    );
  }
}

/** Ends the process at once. `process.exit` would wait for a statement in progress. */
export function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Makes this process, which the service has started, give way to the service. */
export function beModest(): void {
  // The service decides when it ends, also if the terminal sends Ctrl+C to both.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => undefined);
  }
  // Requests come first, and if memory runs out, this process ends before the service.
  setPriority(LOW_PRIORITY);
  writeFile('/proc/self/oom_score_adj', '500').catch(() => undefined);
}
