import type { Logger } from '../platform/logging/logger';

/** Minimum interval between writes of the last use of a key or a session. */
export const LAST_USED_EVERY_SECONDS = 300;

/** Returns the seconds until the last use is due to be written again; 0 if it is due now. */
export function secondsUntilTouch({
  usedAgoSeconds,
}: {
  readonly usedAgoSeconds: number | null;
}): number {
  return usedAgoSeconds === null ? 0 : Math.max(0, LAST_USED_EVERY_SECONDS - usedAgoSeconds);
}

/** Writes last uses in the background. Requests neither wait for the write nor fail with it. */
export class LastUse {
  /** Ids whose last use this process is writing now. One write at a time is enough. */
  private readonly touching = new Set<string>();

  constructor(
    private readonly what: 'key' | 'session',
    private readonly write: (id: string) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  touch(id: string): void {
    if (this.touching.has(id)) return;
    this.touching.add(id);
    this.write(id)
      .catch((error: unknown) => {
        const fields = { err: error, [`${this.what}Id`]: id };
        this.logger.pino.warn(fields, 'last use write failed');
      })
      .finally(() => this.touching.delete(id));
  }
}
