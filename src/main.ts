import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { limitHeapGrowth } from './platform/process/heap-growth';
import { stopRequest, type StopRequest } from './platform/process/stop-request';

/**
 * Registers the signal handlers first. Loading the other modules takes most of the startup time,
 * and a signal may arrive meanwhile.
 */
const stop = stopRequest();

async function main(): Promise<number> {
  limitHeapGrowth();
  const run = await load();
  // A signal that arrived during loading is delivered only now, in the first full turn of the event
  // loop.
  await turnOfEvents();
  await turnOfEvents();
  return run(stop);
}

/** Loads the service, or with several workers only what starts and watches them. */
async function load(): Promise<(stop: StopRequest) => Promise<number>> {
  const { hasSeveralWorkers } = await import('./platform/config/app-config.js');
  if (hasSeveralWorkers()) return (await import('./supervise.js')).supervise;
  return (await import('./serve.js')).run;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exit(1);
  },
);
