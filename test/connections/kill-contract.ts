import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  BLOCK_ROWS,
  type BlockSum,
  DELETION_MODES,
  type DeletionMode,
} from '../../src/destinations/destination';
import { sampleSize, draw } from '../support/samples';
import { SEED, seededRandom, withSeed } from '../support/seeded-random';
import type { DestinationUnderTest, ReadRow } from './contract-tables';
import { ExpectedTables, inOrder, STEP_KINDS, STEPS } from './kill-steps';
import { KilledWorker } from './killed-worker';

/** A destination whose workers are killed. */
export interface KilledDestination {
  readonly under: DestinationUnderTest;
  /** Path of a module that exports `destinationFor(login)`, for workers: see `WorkerModule`. */
  readonly module: string;
  /** Where the destination is. It is sent to workers as JSON. */
  readonly login: unknown;
  /**
   * Other ways to kill than `kill -9` of the worker at any time, by their names. A worker that one of
   * them does not kill ends by itself, with a failure of kind `unavailable`.
   */
  readonly ways?: Readonly<Record<string, (worker: KilledWorker) => Promise<void>>>;
  /**
   * Returns the number of tables of loads. There must be one during a load and none otherwise: with
   * transactions after each kill, and without them after a cycle that nothing has disturbed.
   */
  readonly countLoads?: () => Promise<number>;
}

export interface KillOptions {
  /** Minimum number of kills in a mode of deletions, unless `SAMPLES` says otherwise. */
  readonly kills?: number;
  /** Number of rows that a cycle loads: a multiple of 80. */
  readonly rows?: number;
  /** Modes of deletions that the destination supports. */
  readonly modes?: readonly DeletionMode[];
  /** `false`: rows come before the state, so the table can have those of the step after it. */
  readonly hasTransactions?: boolean;
  /** Whether another worker can claim the table while one is frozen in a step. */
  readonly canFreeze?: boolean;
}

/** One turn of so many freezes a worker instead of killing it. */
const FREEZE_EVERY = 6;
/** One kill of so many is not of a worker, if there are other ways. */
const OTHER_EVERY = 3;
/** Of so many kills, at least one hits each kind of step. */
const KILLS_PER_KIND = 6;
const TIMEOUT_MS = 20 * 60_000;
/** Columns that the model does not have. */
const TIMES = new Set(['_synced_at', '_valid_to']);

/** Returns the sums that a destination must return for rows. */
function sumsOf(rows: readonly ReadRow[] | null): readonly BlockSum[] | null {
  if (rows === null) return null;
  const blocks = new Map<number, { rows: number; ids: number; revisions: number }>();
  for (const { _id: id, _revision: revision, _deleted_at: isDeleted, ended } of rows) {
    if (isDeleted === true || ended === true) continue;
    const block = Math.floor(Number(id) / BLOCK_ROWS);
    const sum = blocks.get(block) ?? { rows: 0, ids: 0, revisions: 0 };
    sum.rows += 1;
    sum.ids += Number(id);
    sum.revisions += Number(revision);
    blocks.set(block, sum);
  }
  return [...blocks].map(([block, sum]) => ({
    block,
    rows: sum.rows,
    ids: String(sum.ids),
    revisions: String(sum.revisions),
  }));
}

/** How often kills have interrupted each step, before and after its commit. */
class Hits {
  private readonly rolledBack = STEPS.map(() => 0);
  private readonly committed = STEPS.map(() => 0);

  add(step: number, isCommitted: boolean): void {
    const counts = isCommitted ? this.committed : this.rolledBack;
    const index = step % STEPS.length;
    counts[index] = (counts[index] ?? 0) + 1;
  }

  ofKind(kind: string): number {
    return STEPS.reduce((sum, step, index) => sum + (step.kind === kind ? this.of(index) : 0), 0);
  }

  /** Returns the nearest step after one of those that were hit least, of the kinds that were hit least. */
  nextAfter(done: number): number {
    const least = rarest(STEP_KINDS, (kind) => this.ofKind(kind)).flatMap((kind) => {
      const indexes = [...STEPS.keys()].filter((index) => STEPS[index]?.kind === kind);
      return rarest(indexes, (index) => this.of(index));
    });
    const first = done + 1;
    const distances = least.map(
      (index) => (index - (first % STEPS.length) + STEPS.length) % STEPS.length,
    );
    return first + Math.min(...distances);
  }

  /** Returns two numbers by step: kills that came before its commit, and after it. */
  get figures(): Readonly<Record<string, string>> {
    const pairs = STEPS.map(({ name }, index) => {
      const counts = [this.rolledBack[index], this.committed[index]];
      return [name, counts.join('+')] as const;
    });
    return Object.fromEntries(pairs);
  }

  private of(index: number): number {
    return (this.rolledBack[index] ?? 0) + (this.committed[index] ?? 0);
  }
}

function rarest<T>(all: readonly T[], count: (each: T) => number): T[] {
  const least = Math.min(...all.map(count));
  return all.filter((each) => count(each) === least);
}

/** A table that workers write, one after another. */
class KilledTable {
  /** The last step whose state the destination has; -1 before the first one. */
  done = -1;
  private readonly table;
  private readonly expected: ExpectedTables;
  private token = 0;
  private standby: KilledWorker;

  constructor(
    private readonly killed: KilledDestination,
    deletions: DeletionMode,
    private readonly options: Required<KillOptions>,
  ) {
    this.table = { id: randomUUID(), name: `killed_${deletions}`, deletions };
    this.expected = new ExpectedTables(deletions, options.rows);
    this.standby = new KilledWorker(killed.module);
  }

  /** Lets another worker claim the table after one, and checks what it has left. */
  async claimAfter(last?: KilledWorker): Promise<KilledWorker> {
    const { killed, table, options } = this;
    const worker = this.standby;
    this.token += 1;
    const { login, module } = killed;
    const task = { login, table, token: this.token, rows: options.rows };
    const { state, sums } = await worker.claim(task);
    const done = state === null ? -1 : Number(state);
    const begun = last?.begun ?? -1;
    expect([this.done, begun - 1, begun]).toContain(done);
    expect(done).toBeGreaterThanOrEqual(this.done);
    this.done = done;
    // It loads its modules while this one works.
    this.standby = new KilledWorker(module);
    const right = await this.compare(done < begun);
    expect(sums).toEqual(sumsOf(right));
    if (options.hasTransactions) expect(await this.countLoads()).toBe(this.isLoading ? 1 : 0);
    return worker;
  }

  /** Lets a worker complete the cycle. */
  async complete(worker: KilledWorker): Promise<void> {
    const cycle = Math.floor((this.done + 1) / STEPS.length);
    worker.go((cycle + 1) * STEPS.length - 1);
    await worker.end();
    expect(worker.failures).toEqual([]);
  }

  async countLoads(): Promise<number> {
    return (await this.killed.countLoads?.()) ?? (this.isLoading ? 1 : 0);
  }

  private get isLoading(): boolean {
    const index = STEPS.findIndex(({ kind }) => kind === 'swap');
    return this.done >= 0 && this.done % STEPS.length < index;
  }

  /** Returns the rows in the form of the model. */
  private async read(): Promise<readonly ReadRow[] | null> {
    const { under } = this.killed;
    const { name, deletions } = this.table;
    const rows = await under.read(name);
    if (deletions !== 'history' || rows === null) return rows;
    const versions = ((await under.readVersions?.(name)) ?? []).map((version) => ({
      ...Object.fromEntries(Object.entries(version).filter(([column]) => !TIMES.has(column))),
      ...(version['_valid_to'] !== null && { ended: true }),
    }));
    return inOrder(versions);
  }

  /** Compares all rows with those of the state. @returns the rows. */
  private async compare(canBeAhead: boolean): Promise<readonly ReadRow[] | null> {
    const { expected, done, options } = this;
    const seen = await this.read();
    const right = expected.after(done);
    if (isDeepStrictEqual(seen, right)) return right;
    if (!options.hasTransactions && canBeAhead) {
      const ahead = expected.after(done + 1);
      if (isDeepStrictEqual(seen, ahead)) return ahead;
    }
    expect([done, seen]).toEqual([done, right]);
    return right;
  }
}

/**
 * Describes what must be true if workers are killed: the table has the rows and columns of its state.
 * A kill comes at a random time after the begin of a step, and each kind of step is hit equally often.
 * The next worker claims the table, and says which state and sums it has found. All rows are compared
 * with those of a model. Then it goes on until it is killed.
 */
export function describeKills(
  start: () => Promise<KilledDestination>,
  {
    kills = 10,
    rows = 8_000,
    modes = DELETION_MODES,
    hasTransactions = true,
    canFreeze = false,
  }: KillOptions = {},
): void {
  const options = {
    kills: sampleSize({ few: kills, all: kills }),
    rows,
    modes,
    hasTransactions,
    canFreeze,
  };
  let killed: KilledDestination;

  beforeAll(async () => {
    killed = await start();
  });

  afterEach(() => KilledWorker.killAll());

  afterAll(() => killed.under.close());

  // One mode is drawn for each run. `SAMPLES=all` runs all.
  it.each(draw(modes, sampleSize({ few: 1, all: modes.length })))(
    'has each row of its state once after each kill, in mode %s',
    (deletions) =>
      withSeed(async () => {
        const started = performance.now();
        const below = seededRandom(SEED);
        const table = new KilledTable(killed, deletions, options);
        const hits = new Hits();
        const others = Object.entries(killed.ways ?? {});
        const counts = new Map<string, number>();
        const durations = new Map<number, number>();
        const measure = (worker: KilledWorker): void => {
          for (const [step, ms] of worker.durations) durations.set(step % STEPS.length, ms);
        };

        let worker = await table.claimAfter();
        await table.complete(worker);
        measure(worker);

        let frozen: KilledWorker | undefined;
        let kills = 0;
        const least = Math.floor(options.kills / KILLS_PER_KIND);
        const hasHitAll = (): boolean => STEP_KINDS.every((kind) => hits.ofKind(kind) >= least);
        // On a busy machine, a step may end before its kill. More kills then follow.
        const isEnough = (): boolean =>
          kills >= options.kills && (hasHitAll() || kills >= 2 * options.kills);
        for (let turn = 1; !isEnough(); turn += 1) {
          const last = worker;
          worker = await table.claimAfter(last);
          if (turn > 1) hits.add(last.begun, table.done === last.begun);
          if (frozen) {
            frozen.signal('SIGCONT');
            await frozen.end();
            // It was stopped, either by the server or by the higher token.
            expect(frozen.failures).toEqual([expect.stringMatching(/^(?:unavailable|fenced)$/)]);
            frozen = undefined;
          }
          const step = hits.nextAfter(table.done);
          worker.go(Number.MAX_SAFE_INTEGER);
          await worker.reaches(step);
          const ms = below(Math.ceil(durations.get(step % STEPS.length) ?? 1));
          if (ms > 0) await pause(ms);
          if (canFreeze && turn % FREEZE_EVERY === 0) {
            worker.signal('SIGSTOP');
            frozen = worker;
            counts.set('frozen', (counts.get('frozen') ?? 0) + 1);
            continue;
          }
          kills += 1;
          const other = kills % OTHER_EVERY === 0 ? others[below(others.length)] : undefined;
          const [way, kill] = other ?? ['worker', (each: KilledWorker) => each.kill()];
          counts.set(way, (counts.get(way) ?? 0) + 1);
          await kill(worker);
          if (other) {
            await worker.end();
            expect(worker.failures).toEqual(worker.isKilled ? [] : ['unavailable']);
          }
          measure(worker);
        }
        const last = worker;
        worker = await table.claimAfter(last);
        hits.add(last.begun, table.done === last.begun);
        await table.complete(worker);
        await table.claimAfter(worker);
        expect(await table.countLoads()).toBe(0);
        const seconds = (performance.now() - started) / 1_000;
        const figures = {
          seed: SEED,
          kills: Object.fromEntries(counts),
          'steps done': table.done + 1,
          'interrupted before+after commit': hits.figures,
          seconds: Math.round(seconds),
        };
        process.stdout.write(`${deletions}: ${JSON.stringify(figures)}\n`);
        for (const kind of STEP_KINDS) {
          expect([kind, hits.ofKind(kind) >= least]).toEqual([kind, true]);
        }
      }),
    TIMEOUT_MS,
  );
}
