/** Maximum number of jobs of one account and kind in a list. */
export const MAX_LISTED_JOBS = 100;

/** Time for which a list of jobs is used before it is fetched again. */
const LIST_TTL_MS = 2_000;

/**
 * A list that is slow to fetch is used for this many times its fetch time, so that listing takes at
 * most a tenth of the time.
 */
const LIST_COST_FACTOR = 10;

/**
 * Result of a step after which the job has more to do. It is `locked` if another instance or a
 * write holds a lock that the job needs.
 */
export type StepResult = 'more' | 'locked';

/**
 * Steps of a job: each `next` runs one short step. The iterator keeps its position in memory
 * between steps.
 */
export type JobSteps = AsyncIterator<StepResult, undefined>;

/** Background work for one account. */
export interface Job {
  /** `null` if it is unknown. Those jobs share the turns of one account. */
  readonly accountId: string | null;
  /** Jobs of different kinds do not wait for each other. */
  readonly kind: string;
  /** Identifies the job among those of its kind, in every list. Shown in the log. */
  readonly target: Readonly<Record<string, string | number>>;
  start(): JobSteps;
}

export interface JobSource {
  /** Returns the pending jobs, at most `MAX_LISTED_JOBS` per account and kind, oldest first. */
  list(): Promise<readonly Job[]>;
  /** Reports a failed step. */
  onFailure(job: Job, error: unknown): void;
  /** Returns whether to stop after the step in progress. */
  isStopping(): boolean;
}

/**
 * Runs background jobs so that accounts take turns: in each round every account gets one step of
 * each kind of job, regardless of its other queued jobs. An account's jobs of one kind run in
 * order. The list is fetched again every 2 seconds, so a new job starts within that time plus one
 * round.
 */
export class JobTurns {
  /** Waiting jobs by account and kind, in the order of their turns. */
  private queues = new Map<string, Job[]>();
  /** Jobs in progress, by key. They keep their position when the list is fetched again. */
  private started = new Map<string, JobSteps>();
  /** Keys of jobs that completed, failed or are locked. They are skipped until a list expires. */
  private readonly settled = new Set<string>();
  private completed = 0;

  constructor(private readonly source: JobSource) {}

  /**
   * Runs until only failed or locked jobs are left, or until it has to stop. Those jobs are retried
   * each time a list expires, and by the next run.
   * @returns the number of completed jobs.
   * @throws if the jobs cannot be listed.
   */
  async run(): Promise<number> {
    this.completed = 0;
    this.settled.clear();
    while (!this.source.isStopping()) {
      const expiresAtMs = await this.takeList();
      if (this.queues.size === 0) break;
      if (await this.runUntil(expiresAtMs)) this.settled.clear();
    }
    return this.completed;
  }

  /**
   * Fetches the list. Existing queues keep their position, so that a round that outlasts a list
   * completes.
   * @returns the time at which the list expires, in milliseconds of `performance.now`.
   */
  private async takeList(): Promise<number> {
    const startedAtMs = performance.now();
    const jobs = await this.source.list();
    const listedAtMs = performance.now();
    const queues = new Map([...this.queues.keys()].map((queue): [string, Job[]] => [queue, []]));
    for (const job of jobs.filter((listed) => !this.settled.has(keyOf(listed)))) {
      const name = `${job.kind} ${job.accountId ?? ''}`;
      const queue = queues.get(name);
      if (queue) queue.push(job);
      else queues.set(name, [job]);
    }
    this.queues = new Map([...queues].filter(([, queue]) => queue.length > 0));
    const listed = new Set(jobs.map(keyOf));
    this.started = new Map([...this.started].filter(([key]) => listed.has(key)));
    return listedAtMs + Math.max(LIST_TTL_MS, (listedAtMs - startedAtMs) * LIST_COST_FACTOR);
  }

  /**
   * Runs steps in turns.
   * @returns whether the list expired before all jobs were done.
   */
  private async runUntil(expiresAtMs: number): Promise<boolean> {
    for (;;) {
      const [next] = this.queues;
      if (!next || this.source.isStopping()) return false;
      if (performance.now() >= expiresAtMs) return true;
      const [name, queue] = next;
      const [job] = queue;
      if (job && (await this.step(job))) queue.shift();
      this.queues.delete(name);
      if (queue.length > 0) this.queues.set(name, queue);
    }
  }

  /**
   * Runs one step of a job.
   * @returns whether the job needs no further step for now.
   */
  private async step(job: Job): Promise<boolean> {
    const key = keyOf(job);
    const steps = this.started.get(key) ?? job.start();
    this.started.set(key, steps);
    try {
      const { done, value } = await steps.next();
      if (done !== true && value === 'more') return false;
      if (done === true) {
        this.completed += 1;
        this.started.delete(key);
      }
    } catch (error) {
      this.started.delete(key);
      this.source.onFailure(job, error);
    }
    this.settled.add(key);
    return true;
  }
}

function keyOf({ kind, target }: Job): string {
  return JSON.stringify([kind, target]);
}
