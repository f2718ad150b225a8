import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RowDataPacket } from 'mysql2';
import {
  DELETION_MODES,
  type DeletionMode,
  type TargetTable,
} from '../../src/connections/destination/destination';
import { MysqlDestination } from '../../src/connections/destination/mysql/mysql-kind';
import { isPresentSql } from '../../src/connections/destination/mysql/mysql-rows-sql';
import { describeMariadb, MariadbServer } from '../support/mariadb-server';
import { accessOf, quoted } from './mysql-server';
import { expectedAfter, type Seen, STEP_COUNT } from './mysql-steps';
import type { WorkerMessage, WorkerTask } from './mysql-worker';

/** With `KILLS=50`, each test takes some four minutes. */
const KILLS = Number(process.env['KILLS'] ?? '10');
/** A kill comes at a random time within this one after the begin of a step. */
const MAX_PAUSE_MS = 300;
const WAYS = ['worker', 'server', 'frozen'] as const;

/** A worker as a process of its own. */
class Worker {
  /** The last step that it has begun; -1 before the first one. */
  begun = -1;
  readonly failures: string[] = [];
  private static readonly all: Worker[] = [];
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(task: WorkerTask) {
    this.child = fork(join(__dirname, 'mysql-worker.ts'), [JSON.stringify(task)]);
    this.child.on('message', (message: WorkerMessage) => {
      if ('begun' in message) this.begun = message.begun;
      else this.failures.push(message.failed);
    });
    this.ended = once(this.child, 'exit');
    Worker.all.push(this);
  }

  /** Kills workers that a failed test has left. */
  static async killAll(): Promise<void> {
    await Promise.all(Worker.all.splice(0).map((worker) => worker.kill()));
  }

  /** Waits until it has claimed the table. */
  async started(): Promise<void> {
    await Promise.race([once(this.child, 'message'), this.ended]);
  }

  /** Waits until it begins a step of a cycle. */
  async reaches(step: number): Promise<void> {
    while (this.begun % STEP_COUNT !== step && this.child.exitCode === null) {
      await Promise.race([once(this.child, 'message'), this.ended]);
    }
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  async end(): Promise<void> {
    await this.ended;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

describeMariadb('a MariaDB destination whose workers and server are killed', () => {
  let server: MariadbServer;

  beforeAll(async () => {
    server = await MariadbServer.start();
  });

  afterEach(() => Worker.killAll());

  afterAll(() => server.remove());

  /** Returns what a reader sees; `null` if there is no table. */
  const seen = async (table: string, mode: DeletionMode): Promise<Seen | null> => {
    const reader = await server.connect();
    try {
      const [columns] = await reader.query<RowDataPacket[]>(
        `SELECT COLUMN_NAME AS name, DATA_TYPE AS type FROM information_schema.COLUMNS
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND LEFT(COLUMN_NAME, 1) <> '_'
         ORDER BY 1`,
        [table],
      );
      if (columns.length === 0) return null;
      const live = isPresentSql(mode);
      const [[sums]] = await reader.query<RowDataPacket[]>(
        `SELECT SUM(${live}) AS \`rows\`, SUM(IF(${live}, _id, 0)) AS ids,
           SUM(IF(${live}, _revision, 0)) AS revisions, SUM(IF(${live}, ratio, 0)) AS ratios,
           SUM(${live} AND text = 'loaded') AS loaded, SUM(${live} AND text = 'merged') AS merged,
           SUM(${live} AND text = 'replaced') AS replaced, SUM(NOT (${live})) AS others
         FROM ${quoted(table)}`,
      );
      const { others, ...present }: Record<string, unknown> = sums ?? {};
      const numbers = Object.entries(present).map(([name, sum]) => [name, Number(sum)]);
      const list = columns.map(({ name, type }) => `${String(name)} ${String(type)}`).join(', ');
      return {
        ...(Object.fromEntries(numbers) as Seen),
        marked: mode === 'mark' ? Number(others) : 0,
        ended: mode === 'history' ? Number(others) : 0,
        columns: list,
      };
    } finally {
      reader.destroy();
    }
  };

  const countLoads = async ({ id }: TargetTable): Promise<number> => {
    const reader = await server.connect();
    try {
      const [rows] = await reader.query<RowDataPacket[]>(
        `SELECT 1 FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = DATABASE() AND LEFT(TABLE_NAME, 47) = ?`,
        [`_datagrid_load_${id.replaceAll('-', '')}`],
      );
      return rows.length;
    } finally {
      reader.destroy();
    }
  };

  it.each(DELETION_MODES)(
    'has the rows of its state after each kill at a random time, in mode %s',
    async (mode) => {
      const destination = new MysqlDestination(accessOf(server));
      const table: TargetTable = { id: randomUUID(), name: `killed_${mode}`, deletions: mode };
      const { user, password, database, port } = server;
      const reached = new Map<number, number>();
      const counts = { worker: 0, server: 0, frozen: 0 };
      let begun = -1;
      let before = -1;
      let token = 0;
      let frozen: Worker | undefined;
      for (let kill = 0; kill <= KILLS; kill += 1) {
        // Finds what a kill has left, and completes or removes it.
        const writer = await destination.open(table);
        const state = await writer.claim((token += 1));
        await writer.close();
        const done = state === null ? -1 : Number(state);
        expect([before, begun - 1, begun]).toContain(done);
        expect(done).toBeGreaterThanOrEqual(before);
        reached.set(begun % STEP_COUNT, (reached.get(begun % STEP_COUNT) ?? 0) + 1);
        const after = done < 0 ? null : expectedAfter(done, mode);
        expect([done, await seen(table.name, mode)]).toEqual([done, after]);
        expect(await countLoads(table)).toBe(
          done % STEP_COUNT >= 0 && done % STEP_COUNT < 3 ? 1 : 0,
        );
        if (kill === KILLS) break;
        before = done;

        const task = { user, password, database, port };
        const worker = new Worker({ server: task, table, token: (token += 1) });
        await worker.started();
        if (frozen) {
          frozen.signal('SIGCONT');
          await frozen.end();
          // It was stopped, either by the server or by the higher token.
          expect(frozen.failures).toEqual([
            expect.stringMatching(/^unavailable$|claimed with token/),
          ]);
          frozen = undefined;
        }
        await worker.reaches(Math.floor(Math.random() * STEP_COUNT));
        await pause(Math.random() * MAX_PAUSE_MS);
        const way = WAYS[kill % WAYS.length] ?? 'worker';
        counts[way] += 1;
        if (way === 'worker') await worker.kill();
        if (way === 'server') {
          await server.restart();
          await worker.end();
        }
        if (way === 'frozen') {
          worker.signal('SIGSTOP');
          frozen = worker;
        }
        begun = worker.begun;
      }
      await frozen?.kill();
      process.stdout.write(
        `${mode}: ${JSON.stringify({ kills: counts, steps: begun + 1, during: Object.fromEntries(reached) })}\n`,
      );
      expect(begun).toBeGreaterThan(STEP_COUNT);
    },
    20 * 60_000,
  );
});
