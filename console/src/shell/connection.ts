import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import { onApiEvent } from '../api/events';
import { queryClient } from '../query-client';

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 30_000;
const PROBE_TIMEOUT_MS = 5_000;

/** Tracks whether the server responds, from the last requests. */
class Connection {
  private isConnectionFailure = false;
  private isProbing = false;
  private waitMs = FIRST_WAIT_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();

  readonly getIsFailing = (): boolean => this.isConnectionFailure;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Watches all requests, and probes the server while it is unavailable. */
  watch(): () => void {
    const probe = (): void => void this.probe();
    const end = onApiEvent(({ kind }) => {
      if (kind === 'outage') probe();
      if (kind === 'reached') this.set(false);
    });
    window.addEventListener('online', probe);
    window.addEventListener('offline', probe);
    return () => {
      end();
      clearTimeout(this.timer);
      window.removeEventListener('online', probe);
      window.removeEventListener('offline', probe);
    };
  }

  /** Probes the server. It counts as unavailable only if a second request fails, too. */
  async probe(): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    clearTimeout(this.timer);
    try {
      await request('GET', '/session', { timeoutMs: PROBE_TIMEOUT_MS, isSessionQuiet: true });
    } catch (error) {
      if (isApiError(error) && error.isOutage) this.set(true);
    } finally {
      this.isProbing = false;
    }
  }

  private set(isConnectionFailure: boolean): void {
    clearTimeout(this.timer);
    if (isConnectionFailure) {
      this.timer = setTimeout(() => void this.probe(), this.waitMs);
      this.waitMs = Math.min(this.waitMs * 2, MAX_WAIT_MS);
    } else {
      this.waitMs = FIRST_WAIT_MS;
    }
    if (isConnectionFailure === this.isConnectionFailure) return;
    this.isConnectionFailure = isConnectionFailure;
    for (const listener of this.listeners) listener();
    // Repeat the queries that failed in the meantime.
    if (!isConnectionFailure)
      void queryClient.refetchQueries({ type: 'active', predicate: hasFailed });
  }
}

const hasFailed = ({ state }: { state: { error: unknown } }): boolean => state.error !== null;

export const connection = new Connection();
