/**
 * Runs a task in the background repeatedly, with a pause between runs. Runs never overlap. The
 * pause does not keep the process alive.
 */
export class RepeatedTask {
  private lastRun: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    private readonly task: () => Promise<number>,
    private readonly pauseMs: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Whether the task has been told to stop. */
  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    this.runAfter(0);
  }

  /** Stops the task and waits for the run in progress. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.lastRun;
  }

  /**
   * Runs the task after the run in progress has ended.
   * @returns the result of the task, or 0 if the task has been stopped.
   */
  async runOnce(): Promise<number> {
    const run = this.lastRun.then(() => (this.stopping ? 0 : this.task()));
    this.lastRun = run.catch(() => undefined);
    return run;
  }

  private runAfter(delayMs: number): void {
    if (this.stopping) return;
    this.timer = setTimeout(() => void this.runAndRepeat(), delayMs).unref();
  }

  private async runAndRepeat(): Promise<void> {
    await this.runOnce().catch(this.onFailure);
    this.runAfter(this.pauseMs);
  }
}
