import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ConnectionWatch } from '../database/connection-watch';
import { Database } from '../database/database';
import { PROBE } from '../database/session-settings';
import { endsWithin } from '../time/ends-within';

/** Time to wait for a pooled connection's response, and then for that of a new connection. */
const PATIENCE_MS = 1_000;

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;
  private probe: Promise<boolean> | undefined;

  constructor(
    private readonly database: Database,
    private readonly watch: ConnectionWatch,
  ) {}

  beforeApplicationShutdown(): void {
    this.stop();
  }

  /** Makes the instance report that it is not ready. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Returns whether no shutdown has begun and the database responds. If all pooled connections are
   * busy, it tries a new one: load alone is no reason to remove an instance from rotation, because
   * its work would move to the remaining instances. Concurrent probes share one check. Probes are
   * not subject to any limit, and must not take connections from other requests, however many
   * probes arrive.
   */
  async isReady(): Promise<boolean> {
    if (this.stopping) return false;
    this.probe ??= this.ask().finally(() => {
      this.probe = undefined;
    });
    return this.probe;
  }

  private async ask(): Promise<boolean> {
    const isFree = await endsWithin(this.database.run(PROBE), PATIENCE_MS).catch(() => false);
    return isFree || this.watch.responds(PATIENCE_MS);
  }
}
