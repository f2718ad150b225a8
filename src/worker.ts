import { limitHeapGrowth } from './platform/process/heap-growth';
import { stopRequest } from './platform/process/stop-request';

/** Registers the signal handlers first, as `main.ts` does. */
const stop = stopRequest();

/** Runs this process as one of the workers that a supervisor starts. */
async function main(): Promise<number> {
  limitHeapGrowth();
  const { connectToSupervisor } = await import('./platform/workers/connect-to-supervisor.js');
  const connecting = connectToSupervisor();
  const { runWorker } = await import('./serve.js');
  const supervisor = await connecting;
  void supervisor.lost.then(() => {
    // Without its supervisor, a worker gets no more connections. It finishes its requests.
    process.kill(process.pid, 'SIGTERM');
  });
  return runWorker(stop, supervisor);
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exit(1);
  },
);
