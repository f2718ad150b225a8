/**
 * Program that claims a table and does one step of `kill-steps.ts` after the other, until it is
 * killed. A module of the destination under test, which is named in its first parameter, opens it.
 */
import {
  type BlockSum,
  type Destination,
  DestinationError,
  FencedError,
  type SyncState,
  type TargetTable,
} from '../../src/destinations/destination';
import { runStep } from './kill-steps';

/** What a worker does. */
export interface WorkerTask {
  /** Where the destination is. Its module knows what it means. */
  readonly login: unknown;
  readonly table: TargetTable;
  readonly token: number;
  /** Number of rows that a cycle loads. */
  readonly rows: number;
}

/** A module that opens destinations for workers. */
export interface WorkerModule {
  readonly destinationFor: (login: unknown) => Destination;
}

/** What a worker finds when it has claimed the table. */
export interface Claimed {
  readonly state: SyncState | null;
  /** `null` if there is no table. */
  readonly sums: readonly BlockSum[] | null;
}

/** What a worker says: what it has claimed, a step that it begins, or why it failed. */
export type WorkerMessage =
  | { readonly claimed: Claimed }
  | { readonly begun: number }
  | { readonly failed: string };

/** What a worker is told: to claim a table, and then to do all steps up to one, which is included. */
export type WorkerOrder = { readonly task: WorkerTask } | { readonly last: number };

const say = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => {
      resolve();
    });
  });

const nextOrder = (): Promise<WorkerOrder> =>
  new Promise((resolve) => {
    process.once('message', (order) => {
      resolve(order as WorkerOrder);
    });
  });

async function work(modulePath: string): Promise<void> {
  const first = nextOrder();
  const { destinationFor } = (await import(modulePath)) as WorkerModule;
  const order = await first;
  if (!('task' in order)) throw new Error('A worker claims a table first.');
  const { login, table, token, rows } = order.task;
  const writer = await destinationFor(login).open(table);
  const state = await writer.claim(token);
  const sums = (await writer.exists()) ? await writer.sumBlocks() : null;
  const second = nextOrder();
  await say({ claimed: { state, sums } });
  const next = await second;
  const last = 'last' in next ? next.last : -1;
  for (let step = state === null ? 0 : Number(state) + 1; step <= last; step += 1) {
    await say({ begun: step });
    await runStep(writer, step, rows);
  }
  await writer.close();
}

function reasonOf(error: unknown): string {
  if (error instanceof FencedError) return 'fenced';
  if (!(error instanceof DestinationError)) return String(error);
  return error.kind === 'unavailable' ? error.kind : `${error.kind}: ${error.message}`;
}

const [, , modulePath = ''] = process.argv;
// A worker ends with the test, also if that is killed.
process.once('disconnect', () => process.exit());
void work(modulePath)
  .catch((error: unknown) => say({ failed: reasonOf(error) }))
  .then(() => process.exit());
