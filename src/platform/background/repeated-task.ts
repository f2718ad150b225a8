/**
 * Runs a task in the background, again and again with a pause between, never twice at a time.
 * The pause does not keep the process alive.
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

  /** Whether the task should come to an end soon. */
  get isStopping(): boolean {
    return this.stopping;
  }

  start(): void {
    this.runAfter(0);
  }

  /** Waits for what is in progress. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.lastRun;
  }

  /** Runs the task once the run in progress is over. */
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
