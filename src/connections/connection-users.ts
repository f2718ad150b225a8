import { Injectable } from '@nestjs/common';

/** Makes the runs of a connection that are in progress begin anew, as soon as they can. */
type RestartRuns = (connectionId: string) => Promise<void>;

/**
 * What uses connections besides their tables. The module that imports on a schedule imports this one, not
 * the reverse, so it registers itself when it starts.
 */
@Injectable()
export class ConnectionUsers {
  private readonly registered: RestartRuns[] = [];

  register(restartRuns: RestartRuns): void {
    this.registered.push(restartRuns);
  }

  /** Call it in the transaction that changes how the connection connects. */
  async restartRuns(connectionId: string): Promise<void> {
    for (const restart of this.registered) await restart(connectionId);
  }
}
