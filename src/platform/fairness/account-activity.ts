/** Time in milliseconds after its last call for which an account counts as active. */
const ACTIVE_MS = 10_000;

/**
 * Tracks which accounts called this process in the last seconds, and knows of those that called the other
 * workers of its instance.
 */
export class AccountActivity {
  /** Time of each account's last call on the clock of `nowMs`, the least recent first. */
  private readonly calledAtMs = new Map<string, number>();
  /** Account of the most recent call. The map may still contain an earlier call of it. */
  private newest = '';
  private newestAtMs = 0;
  /** Time at which each account was last reported by another worker. */
  private readonly reportedAtMs = new Map<string, number>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  recordCall(accountId: string): void {
    if (accountId !== this.newest) {
      this.storeNewestCall();
      this.removeInactive();
      this.newest = accountId;
    }
    this.newestAtMs = this.nowMs();
  }

  /**
   * Returns the two accounts that called last, if they called in the last `withinMs` milliseconds. For
   * any account, they tell others whether there is another one.
   */
  lastCallers(withinMs: number): string[] {
    this.storeNewestCall();
    const sinceMs = this.nowMs() - withinMs;
    const callers = [...this.calledAtMs].filter(([, atMs]) => atMs >= sinceMs);
    return callers.slice(-2).map(([accountId]) => accountId);
  }

  /** Records accounts that called another worker. */
  recordReported(accountIds: readonly string[]): void {
    const nowMs = this.nowMs();
    for (const accountId of accountIds) this.reportedAtMs.set(accountId, nowMs);
    for (const [accountId, atMs] of this.reportedAtMs) {
      if (atMs < nowMs - ACTIVE_MS) this.reportedAtMs.delete(accountId);
    }
  }

  /** Returns whether any other account called in the last ten seconds. */
  hasOtherActiveAccounts(accountId: string): boolean {
    return this.hasOtherCallers(accountId) || this.hasOtherReported(accountId);
  }

  private hasOtherReported(accountId: string): boolean {
    if (this.reportedAtMs.size === 0) return false;
    const sinceMs = this.nowMs() - ACTIVE_MS;
    return [...this.reportedAtMs].some(([other, atMs]) => other !== accountId && atMs >= sinceMs);
  }

  private hasOtherCallers(accountId: string): boolean {
    const { calledAtMs } = this;
    const isAlone = calledAtMs.size === (calledAtMs.has(accountId) ? 1 : 0);
    // Without other accounts, this is called for most requests, so it must cost little.
    if (isAlone && this.newest === accountId) return false;
    this.storeNewestCall();
    this.removeInactive();
    return this.calledAtMs.size > (this.calledAtMs.has(accountId) ? 1 : 0);
  }

  private storeNewestCall(): void {
    this.calledAtMs.delete(this.newest);
    if (this.newest !== '') this.calledAtMs.set(this.newest, this.newestAtMs);
  }

  private removeInactive(): void {
    const forgottenBeforeMs = this.nowMs() - ACTIVE_MS;
    for (const [accountId, calledAtMs] of this.calledAtMs) {
      if (calledAtMs >= forgottenBeforeMs) return;
      this.calledAtMs.delete(accountId);
    }
  }
}
