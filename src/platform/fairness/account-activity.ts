/** An account that has not called for this long leaves its part of the process to the others. */
const MEMORY_MS = 10_000;

/** Remembers which accounts called a process in the last seconds. */
export class AccountActivity {
  /** Milliseconds of `nowMs`, by account; the least recent first. */
  private readonly calledAtMs = new Map<string, number>();
  /** The account that called last, of which the map may have an earlier call. */
  private newest = '';
  private newestAtMs = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  note(accountId: string): void {
    if (accountId !== this.newest) {
      this.keepNewest();
      this.forget();
      this.newest = accountId;
    }
    this.newestAtMs = this.nowMs();
  }

  /** Whether any other account called in the last ten seconds. */
  hasOthersThan(accountId: string): boolean {
    this.keepNewest();
    this.forget();
    return this.calledAtMs.size > (this.calledAtMs.has(accountId) ? 1 : 0);
  }

  private keepNewest(): void {
    this.calledAtMs.delete(this.newest);
    if (this.newest !== '') this.calledAtMs.set(this.newest, this.newestAtMs);
  }

  private forget(): void {
    const forgottenBeforeMs = this.nowMs() - MEMORY_MS;
    for (const [accountId, calledAtMs] of this.calledAtMs) {
      if (calledAtMs >= forgottenBeforeMs) return;
      this.calledAtMs.delete(accountId);
    }
  }
}
