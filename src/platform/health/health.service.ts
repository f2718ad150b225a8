import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database';
import { PROBE } from '../database/probe';

const PROBE_TIMEOUT_MS = 2_000;

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(private readonly database: Database) {}

  beforeApplicationShutdown(): void {
    this.stop();
  }

  /** From now on it is not ready. */
  stop(): void {
    this.stopping = true;
  }

  async isReady(): Promise<boolean> {
    if (this.stopping) return false;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PROBE_TIMEOUT_MS, false);
    });
    const probe = this.database.run(PROBE).then(
      () => true,
      () => false,
    );
    return Promise.race([probe, timeout]).finally(() => {
      clearTimeout(timer);
    });
  }
}
