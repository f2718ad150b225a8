import { Injectable } from '@nestjs/common';

/** Restarts the runs of a connection that are in progress. */
type RestartRuns = (connectionId: string) => Promise<void>;

/**
 * Hooks of modules that use connections. Such a module imports this one, not the reverse, so it registers
 * its hook when it starts.
 */
@Injectable()
export class ConnectionHooks {
  private readonly registered: RestartRuns[] = [];

  register(restartRuns: RestartRuns): void {
    this.registered.push(restartRuns);
  }

  /** Call it in the transaction that changes how the connection connects. */
  async restartRuns(connectionId: string): Promise<void> {
    for (const restart of this.registered) await restart(connectionId);
  }
}
