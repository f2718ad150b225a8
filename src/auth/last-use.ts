import type { Logger } from '../platform/logging/logger';

/** How often the last use of a key or a session is written, at most. */
export const LAST_USED_EVERY_SECONDS = 300;

/** In how many seconds a use is to be written again; 0 for now. */
export function secondsUntilTouch({
  usedAgoSeconds,
}: {
  readonly usedAgoSeconds: number | null;
}): number {
  return usedAgoSeconds === null ? 0 : Math.max(0, LAST_USED_EVERY_SECONDS - usedAgoSeconds);
}

/** Writes last uses beside the requests, which do not wait for it and do not fail with it. */
export class LastUse {
  /** Whose last use this process is writing now: one write is enough. */
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
