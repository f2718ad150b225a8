/** Time in milliseconds after its last call for which an account counts as active. */
const ACTIVE_MS = 10_000;

/** Tracks which accounts called this process in the last ten seconds. */
export class AccountActivity {
  /** Time of each account's last call on the clock of `nowMs`, the least recent first. */
  private readonly calledAtMs = new Map<string, number>();
  /** Account of the most recent call. The map may still contain an earlier call of it. */
  private newest = '';
  private newestAtMs = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  recordCall(accountId: string): void {
    if (accountId !== this.newest) {
      this.storeNewestCall();
      this.removeInactive();
      this.newest = accountId;
    }
    this.newestAtMs = this.nowMs();
  }

  /** Returns whether any other account called in the last ten seconds. */
  hasOtherActiveAccounts(accountId: string): boolean {
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
