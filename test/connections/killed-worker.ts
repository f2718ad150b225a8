import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import type { Claimed, WorkerMessage, WorkerOrder, WorkerTask } from './kill-worker';

/** A worker as a process of its own, which a test kills. */
export class KilledWorker {
  /** The last step that it has begun; -1 before the first one. */
  begun = -1;
  readonly failures: string[] = [];
  isKilled = false;
  private static readonly all = new Set<KilledWorker>();
  private claimed: Claimed | undefined;
  /** Times at which it began steps. */
  private readonly times = new Map<number, number>();
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private wake = (): void => undefined;

  /** Starts a process that loads a module, and waits for its task. */
  constructor(module: string) {
    this.child = fork(join(__dirname, 'kill-worker.ts'), [module]);
    this.child.on('message', (message: WorkerMessage) => {
      if ('claimed' in message) this.claimed = message.claimed;
      else if ('failed' in message) this.failures.push(message.failed);
      else {
        this.begun = message.begun;
        this.times.set(message.begun, performance.now());
      }
      this.wake();
    });
    this.child.once('disconnect', () => {
      this.wake();
    });
    // What it has said before it ended comes before `disconnect`.
    this.ended = Promise.all([once(this.child, 'exit'), once(this.child, 'disconnect')]);
    KilledWorker.all.add(this);
  }

  /** Kills workers that a test has left. */
  static async killAll(): Promise<void> {
    for (const worker of KilledWorker.all) await worker.kill();
  }

  /** Lets it claim the table. */
  async claim(task: WorkerTask): Promise<Claimed> {
    this.order({ task });
    while (this.claimed === undefined && this.child.connected) await this.next();
    if (this.claimed) return this.claimed;
    throw new Error(`The worker could not claim the table: ${this.failures.join()}`);
  }

  /** Lets it begin with the steps, up to a last one. */
  go(last: number): void {
    this.order({ last });
  }

  /** Waits until it begins a step. */
  async reaches(step: number): Promise<void> {
    while (this.begun < step && this.child.connected) await this.next();
  }

  /** Returns how long each step has taken that it has done, with its number. */
  get durations(): readonly (readonly [number, number])[] {
    return [...this.times].flatMap(([step, begun]) => {
      const next = this.times.get(step + 1);
      return next === undefined ? [] : [[step, next - begun] as const];
    });
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  /** Waits until it has ended by itself. */
  async end(): Promise<void> {
    await this.ended;
    KilledWorker.all.delete(this);
  }

  /** Kills it, and waits until the processes that it has started have ended, too. */
  async kill(): Promise<void> {
    const children = await this.children();
    this.isKilled = true;
    this.child.kill('SIGKILL');
    await this.end();
    await eventually(async () => (await Promise.all(children.map(isGone))).every(Boolean));
  }

  /** Returns the ids of the processes that it has started. */
  async children(): Promise<number[]> {
    const pid = String(this.child.pid);
    const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    return list.split(' ').filter(Boolean).map(Number);
  }

  private order(order: WorkerOrder): void {
    this.child.send(order);
  }

  /** Waits until it says something, or ends. */
  private next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  return stat === '' || stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
