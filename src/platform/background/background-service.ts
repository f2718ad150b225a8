import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';

/** A task that runs repeatedly, such as `RepeatedTask`. */
export interface BackgroundTask {
  start(): void;
  /** Stops the task and waits for the step in progress. */
  stop(): Promise<void>;
  /** Runs the task after the run in progress has ended. @returns the result of the task. */
  runOnce(): Promise<number>;
}

/** A service with a task that runs in the background of every instance. Commands do not start it. */
export abstract class BackgroundService implements OnApplicationBootstrap, OnModuleDestroy {
  protected abstract readonly task: BackgroundTask;

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Waits for the step in progress only. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Runs the task now. If a run is in progress, first waits for it.
   * @returns the result of the task: the number of records, jobs or steps.
   * @throws what the task throws.
   */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }
}
