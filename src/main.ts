import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { limitHeapGrowth } from './platform/process/heap-growth';
import { stopRequest } from './platform/process/stop-request';

/** First of all: loading the rest takes most of a start, and a signal may come meanwhile. */
const stop = stopRequest();

async function main(): Promise<number> {
  limitHeapGrowth();
  const { run } = await import('./serve.js');
  // A signal that came meanwhile is heard only now, in the first whole turn.
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
