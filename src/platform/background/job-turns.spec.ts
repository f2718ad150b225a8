import { JobTurns, type Job, type StepResult } from './job-turns';

const LIST_TTL_MS = 2_000;

/** Jobs that a source lists until they are done. Each step is recorded under the job's name. */
class Jobs {
  readonly steps: string[] = [];
  readonly failures: string[] = [];
  isStopping = false;
  listMs = 0;
  lists = 0;
  private readonly listed = new Map<string, Job>();
  readonly turns = new JobTurns({
    list: async () => {
      this.lists += 1;
      await jest.advanceTimersByTimeAsync(this.listMs);
      return [...this.listed.values()];
    },
    onFailure: ({ target }, error) => {
      this.failures.push(`${String(target['name'])}: ${String(error)}`);
    },
    isStopping: () => this.isStopping,
  });

  /**
   * Adds a job with that many steps; `during` runs in each of them. Its name starts with its
   * account, or with `?` if the account is unknown.
   */
  add(name: string, steps: number, kind = 'build', during: (step: number) => void = noop): void {
    const accountId = name.startsWith('?') ? null : name.charAt(0);
    this.put({ kind, accountId, target: { name }, start: () => this.run(name, steps, during) });
  }

  put(job: Job): void {
    this.listed.set(String(job.target['name']), job);
  }

  remove(name: string): void {
    this.listed.delete(name);
  }

  private async *run(
    name: string,
    steps: number,
    during: (step: number) => void,
  ): AsyncGenerator<StepResult, undefined> {
    for (let step = 1; step <= steps; step += 1) {
      this.steps.push(name);
      await Promise.resolve();
      during(step);
      if (step < steps) yield 'more';
    }
    this.remove(name);
  }
}

function noop(): void {
  return;
}

function expireList(): void {
  jest.advanceTimersByTime(LIST_TTL_MS);
}

let jobs: Jobs;

beforeEach(() => {
  jest.useFakeTimers();
  jobs = new Jobs();
});

afterEach(() => jest.useRealTimers());

describe('JobTurns', () => {
  it('runs one step per account in turn, and the jobs of one account in order', async () => {
    for (let n = 1; n <= 3; n += 1) jobs.add(`a${String(n)}`, 3);
    jobs.add('b1', 2);
    jobs.add('c1', 1);
    expect(await jobs.turns.run()).toBe(5);
    expect(jobs.steps.join(' ')).toBe('a1 b1 c1 a1 b1 a1 a2 a2 a2 a3 a3 a3');
  });

  it('runs jobs of different kinds independently', async () => {
    jobs.add('a1', 3, 'cleanup');
    jobs.add('a2', 2, 'build');
    await jobs.turns.run();
    expect(jobs.steps.join(' ')).toBe('a1 a2 a1 a2 a1');
  });

  it('gives all jobs of unknown accounts the turns of one account', async () => {
    for (const name of ['?1', '?2', 'b1']) jobs.add(name, 2);
    await jobs.turns.run();
    expect(jobs.steps.join(' ')).toBe('?1 b1 ?1 b1 ?2 ?2');
  });

  it('starts new jobs within one round after the list expires, and continues the others', async () => {
    jobs.add('a1', 6, 'build', (step) => {
      if (step === 2) jobs.add('b1', 1);
      if (step === 4) jest.advanceTimersByTime(LIST_TTL_MS);
    });
    await jobs.turns.run();
    expect(jobs.steps.join(' ')).toBe('a1 a1 a1 a1 a1 b1 a1');
  });

  it('keeps the order if the list expires in the middle of a round', async () => {
    for (const account of ['a', 'b', 'c']) jobs.add(`${account}1`, 2, 'build', expireList);
    await jobs.turns.run();
    expect(jobs.steps.join(' ')).toBe('a1 b1 c1 a1 b1 c1');
  });

  it('spends at most a tenth of the time on listing jobs', async () => {
    jobs.listMs = LIST_TTL_MS;
    jobs.add('a1', 10, 'build', expireList);
    await jobs.turns.run();
    expect([jobs.steps.length, jobs.lists]).toEqual([10, 2]);
  });

  it('reports a failed job, retries it when the list expires, and delays no other job', async () => {
    let attempts = 0;
    jobs.add('a1', 1, 'build', () => {
      attempts += 1;
      if (attempts < 3) throw new Error('not now');
    });
    jobs.add('a2', 2, 'build', expireList);
    jobs.add('b1', 1);
    expect(await jobs.turns.run()).toBe(2);
    expect(jobs.steps.join(' ')).toBe('a1 b1 a2 a1 a2');
    expect(jobs.failures).toEqual(['a1: Error: not now', 'a1: Error: not now']);
    expect(await jobs.turns.run()).toBe(1);
  });

  it('leaves locked jobs for the next run, which continues them', async () => {
    const results: StepResult[] = ['more', 'locked', 'more'];
    const next = (): Promise<IteratorResult<StepResult, undefined>> => {
      jobs.steps.push('a1');
      const value = results.shift();
      if (value) return Promise.resolve({ done: false, value });
      jobs.remove('a1');
      return Promise.resolve({ done: true, value });
    };
    jobs.put({ kind: 'build', accountId: 'a', target: { name: 'a1' }, start: () => ({ next }) });
    jobs.add('a2', 1);
    expect(await jobs.turns.run()).toBe(1);
    expect(jobs.steps.join(' ')).toBe('a1 a1 a2');
    expect(await jobs.turns.run()).toBe(1);
    expect(jobs.steps.join(' ')).toBe('a1 a1 a2 a1 a1');
  });

  it('drops a job that is no longer listed', async () => {
    jobs.add('a1', 9, 'build', (step) => {
      if (step === 3) jobs.remove('a1');
      if (step === 3) jest.advanceTimersByTime(LIST_TTL_MS);
    });
    expect(await jobs.turns.run()).toBe(0);
    expect(jobs.steps).toHaveLength(3);
  });

  it('stops after the step in progress and continues from there later', async () => {
    jobs.add('a1', 4, 'build', (step) => {
      if (step === 2) jobs.isStopping = true;
    });
    jobs.add('b1', 1);
    expect(await jobs.turns.run()).toBe(1);
    expect(jobs.steps.join(' ')).toBe('a1 b1 a1');
    jobs.isStopping = false;
    expect(await jobs.turns.run()).toBe(1);
    expect(jobs.steps.join(' ')).toBe('a1 b1 a1 a1 a1');
  });
});
