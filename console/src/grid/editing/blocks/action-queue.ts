/** Runs actions one after another, so that an undo never overtakes the action before it. */
export class ActionQueue {
  private last: Promise<void> = Promise.resolve();

  /** Starts an action after all earlier ones, even if one of them failed. */
  run(action: () => Promise<void>): Promise<void> {
    const run = this.last.then(action);
    this.last = run.catch(() => undefined);
    return run;
  }
}
