import { DestinationError, type TargetTable } from '../../src/connections/destination/destination';
import { MysqlDestination } from '../../src/connections/destination/mysql/mysql-kind';
import type { MariadbLogin } from '../support/mariadb-server';
import { accessOf } from './mysql-server';
import { doStep } from './mysql-steps';

/** What a worker does. */
export interface WorkerTask {
  readonly server: MariadbLogin;
  readonly table: TargetTable;
  readonly token: number;
}

/** What a worker says: a step that it begins, or why it has ended. */
export type WorkerMessage = { readonly begun: number } | { readonly failed: string };

const say = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => {
      resolve();
    });
  });

/** Claims a table, and does one step after the other. */
async function work({ server, table, token }: WorkerTask): Promise<never> {
  const writer = await new MysqlDestination(accessOf(server)).open(table);
  const state = await writer.claim(token);
  for (let step = state === null ? 0 : Number(state) + 1; ; step += 1) {
    await say({ begun: step });
    await doStep(writer, step);
  }
}

const [, , task = ''] = process.argv;
work(JSON.parse(task) as WorkerTask).catch(async (error: unknown) => {
  const isKnown = error instanceof DestinationError;
  await say({ failed: isKnown ? error.kind : String(error) });
  process.exit(0);
});
