import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database';
import { PROBE } from '../database/probe';

const PROBE_TIMEOUT_MS = 2_000;

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;
  private probe: Promise<boolean> | undefined;

  constructor(private readonly database: Database) {}

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /**
   * Those who ask meanwhile share one question: probes are refused for no load and by no limit, and
   * however many there are, they are not to take the connections from everybody else.
   */
  async isReady(): Promise<boolean> {
    if (this.stopping) return false;
    this.probe ??= this.ask().finally(() => {
      this.probe = undefined;
    });
    return this.probe;
  }

  private async ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PROBE_TIMEOUT_MS, false);
    });
    const answer = this.database.run(PROBE).then(
      () => true,
      () => false,
    );
    return Promise.race([answer, timeout]).finally(() => {
      clearTimeout(timer);
    });
  }
}
