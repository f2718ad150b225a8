import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logging/logger';
import { followHandedConnections } from './handed-connections';
import { OperatorError } from './operator-error';
import { endsWithin } from '../time/ends-within';
import { type Call, Channel, JOIN, READY, type WorkerOrder } from '../workers/supervisor';
import { Restarts } from './restarts';
import { WholeLines } from '../logging/whole-lines';

/** Time beyond the grace period in which a worker closes its connections. */
const CLOSE_MS = 5_000;

/** A worker that runs. */
export interface RunningWorker {
  /** Differs from that of every earlier worker. */
  readonly id: number;
  readonly number: number;
  readonly channel: Channel;
}

/** How a worker has ended. */
interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

interface Member extends RunningWorker {
  readonly child: Worker;
  readonly startedAtMs: number;
  readonly ended: Promise<Ending>;
  isReady: boolean;
}

export interface WorkerPoolOptions {
  /** Program of a worker. */
  readonly program: string;
  readonly count: number;
  readonly order: Omit<WorkerOrder, 'number' | 'isFirst'>;
  /** Time that a worker has to finish its requests. */
  readonly graceMs: number;
  readonly logger: Logger;
  /** Writes lines of the output of a worker. */
  readonly write: (lines: string) => void;
}

/**
 * The workers of an instance. Each is a process that listens on the same port: this process accepts
 * connections, and the workers get them in turns (`SCHED_RR`). If all accepted from one socket, most
 * connections would go to a few of them, and stay there as long as clients keep them. One that ends is
 * replaced.
 */
export class WorkerPool {
  /** By number. */
  private readonly members = new Map<number, Member>();
  private readonly handlers: ((worker: RunningWorker) => void)[] = [];
  private readonly exitListeners: ((worker: RunningWorker) => void)[] = [];
  private readonly restarts = new Restarts();
  private readonly stopping = new AbortController();
  private fail: (error: Error) => void = () => undefined;
  private onReady: (url: string) => void = () => undefined;
  /** Rejects if workers do not start. */
  readonly failed: Promise<never>;
  /** Number of workers that were replaced. */
  replaced = 0;

  constructor(private readonly options: WorkerPoolOptions) {
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failed.catch(() => undefined);
  }

  get running(): readonly RunningWorker[] {
    return [...this.members.values()];
  }

  get readyCount(): number {
    return [...this.members.values()].filter(({ isReady }) => isReady).length;
  }

  /** Sets what responds to a call of any worker. */
  handle<Request, Response>(
    call: Call<Request, Response>,
    handler: (request: Request, worker: RunningWorker) => Response | Promise<Response>,
  ): void {
    this.handlers.push((worker) => {
      worker.channel.handle(call, (request) => handler(request, worker));
    });
  }

  /** Calls `listener` for each worker that has ended. */
  onExit(listener: (worker: RunningWorker) => void): void {
    this.exitListeners.push(listener);
  }

  /**
   * Starts the first worker, and waits until it is ready.
   * @throws OperatorError if it does not start. It has written the reason to standard error.
   */
  async startFirst(): Promise<void> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: this.options.program,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const ready = this.whenReady(1);
    this.start(1, true);
    await ready;
  }

  /** Starts the other workers, and waits until they are ready. @returns their URL. @throws as `startFirst` */
  async startOthers(): Promise<string> {
    const { count } = this.options;
    const ready = this.whenReady(count);
    for (let number = 2; number <= count; number += 1) this.start(number, false);
    return ready;
  }

  /** Stops all workers in order. Those that do not stop in time are killed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const members = [...this.members.values()];
    for (const { child } of members) child.process.kill('SIGTERM');
    const ended = Promise.all(members.map((member) => member.ended));
    if (await endsWithin(ended, this.options.graceMs + CLOSE_MS)) return;
    const late = [...this.members.values()];
    const workers = late.map(({ number }) => number);
    this.options.logger.pino.warn({ workers }, 'workers did not stop in time, killed');
    for (const { child } of late) child.process.kill('SIGKILL');
    await ended;
  }

  /** Settles once this many workers are ready, with their URL. */
  private whenReady(count: number): Promise<string> {
    const ready = new Promise<string>((resolve) => {
      this.onReady = (url) => {
        if (this.readyCount >= count) resolve(url);
      };
    });
    return Promise.race([ready, this.failed]);
  }

  private start(number: number, isFirst: boolean): void {
    const child = cluster.fork();
    const channel = new Channel((message) => {
      child.process.send(message, undefined, undefined, () => undefined);
    });
    const ended = endOf(child);
    const startedAtMs = performance.now();
    const { id } = child;
    const details = { worker: number, workerPid: child.process.pid };
    this.options.logger.pino.info(details, 'worker started');
    const member: Member = { id, number, channel, child, startedAtMs, ended, isReady: false };
    channel.handle(JOIN, () => this.orderOf(number, isFirst));
    channel.handle(READY, ({ url }) => {
      member.isReady = true;
      this.options.logger.pino.info(details, 'worker ready');
      this.restarts.ready();
      this.onReady(url);
    });
    for (const register of this.handlers) register(member);
    child.on('message', (message: unknown) => {
      channel.receive(message);
    });
    followHandedConnections(child, () => this.hasOthers(member));
    this.passOutput(child);
    this.members.set(number, member);
    void ended.then((ending) => {
      this.end(member, isFirst, ending);
    });
  }

  private hasOthers(member: Member): boolean {
    return [...this.members.values()].some((other) => other !== member && other.isReady);
  }

  private orderOf(number: number, isFirst: boolean): WorkerOrder {
    return { number, isFirst, ...this.options.order };
  }

  private passOutput({ process: { stdout } }: Worker): void {
    const lines = new WholeLines(this.options.write);
    stdout?.on('data', (chunk: Buffer) => {
      lines.add(chunk);
    });
    stdout?.on('end', () => {
      lines.end();
    });
  }

  private end(member: Member, isFirst: boolean, ending: Ending): void {
    const { number, isReady: wasReady } = member;
    this.members.delete(number);
    member.channel.close();
    for (const listen of this.exitListeners) listen(member);
    if (this.stopping.signal.aborted) return;
    const uptimeMs = Math.round(performance.now() - member.startedAtMs);
    const pauseMs = this.restarts.pauseMs({ wasReady, uptimeMs, hasFailed: ending.code === 1 });
    const details = { worker: number, workerPid: member.child.process.pid, ...ending };
    const { pino } = this.options.logger;
    // An operator may stop one worker, to replace it.
    pino[ending.code === 0 ? 'info' : 'error'](
      { ...details, uptimeMs, restartInMs: pauseMs },
      'worker ended',
    );
    if (pauseMs === null) {
      this.fail(new OperatorError('The workers do not start.'));
      return;
    }
    this.replaced += 1;
    // One that has not been ready has perhaps not migrated.
    const replaceFirst = isFirst && !wasReady;
    delay(pauseMs, undefined, { signal: this.stopping.signal }).then(
      () => {
        this.start(number, replaceFirst);
      },
      () => undefined,
    );
  }
}

/** Settles when a worker has ended and its output has been read, or if it could not be started. */
function endOf(child: Worker): Promise<Ending> {
  return new Promise((resolve) => {
    child.process.once('close', (code, signal) => {
      resolve({ code, signal });
    });
    child.on('error', () => {
      if (child.process.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}
