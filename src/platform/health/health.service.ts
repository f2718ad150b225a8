import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ConnectionWatch } from '../database/connection-watch';
import { Database } from '../database/database';
import { PROBE } from '../database/probe';
import { endsWithin } from '../time/ends-within';

/** For the pool's answer, and then for that over a new connection. */
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

  /** From now on it is not ready. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Whether the database answers. Where all connections are at work that alone is no reason to take
   * an instance out of the rotation: those that are left would have its work as well. Those who ask
   * meanwhile share one question: probes are refused for no load and by no limit, and however many
   * there are, they are not to take the connections from everybody else.
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
