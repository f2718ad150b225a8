import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { limitHeapGrowth } from './platform/process/heap-growth';
import { stopRequest } from './platform/process/stop-request';

/**
 * Registers the signal handlers first. Loading the other modules takes most of the startup time,
 * and a signal may arrive meanwhile.
 */
const stop = stopRequest();

async function main(): Promise<number> {
  limitHeapGrowth();
  const { run } = await import('./serve.js');
  // A signal that arrived during loading is delivered only now, in the first full turn of the event
  // loop.
  await turnOfEvents();
  await turnOfEvents();
  return run(stop);
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exit(1);
  },
);
