/** An account that has not called for this long leaves its part of the process to the others. */
const MEMORY_MS = 10_000;

/** Remembers which accounts called a process in the last seconds. */
export class AccountActivity {
  /** Milliseconds of `nowMs`, by account; the least recent first. */
  private readonly calledAtMs = new Map<string, number>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  note(accountId: string): void {
    this.calledAtMs.delete(accountId);
    this.calledAtMs.set(accountId, this.nowMs());
    this.forget();
  }

  /** Whether any other account called in the last ten seconds. */
  hasOthersThan(accountId: string): boolean {
    this.forget();
    return this.calledAtMs.size > (this.calledAtMs.has(accountId) ? 1 : 0);
  }

  private forget(): void {
    const forgottenBeforeMs = this.nowMs() - MEMORY_MS;
    for (const [accountId, calledAtMs] of this.calledAtMs) {
      if (calledAtMs >= forgottenBeforeMs) return;
      this.calledAtMs.delete(accountId);
    }
  }
}
