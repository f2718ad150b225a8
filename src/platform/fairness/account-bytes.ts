import { accountShare } from './account-semaphore';

/** Counts bytes that are kept for clients, in total and per account. One account may use half. */
export class AccountBytes {
  private total = 0;
  private readonly byAccount = new Map<string, number>();

  constructor(private readonly maxBytes: number) {}

  /** @returns whether there is room for `bytes` more. If not, none are counted. */
  tryAdd(accountId: string, bytes: number): boolean {
    const held = this.heldBy(accountId);
    if (this.total + bytes > this.maxBytes) return false;
    if (held + bytes > accountShare(this.maxBytes)) return false;
    this.total += bytes;
    this.byAccount.set(accountId, held + bytes);
    return true;
  }

  remove(accountId: string, bytes: number): void {
    this.total -= bytes;
    const left = this.heldBy(accountId) - bytes;
    if (left === 0) this.byAccount.delete(accountId);
    else this.byAccount.set(accountId, left);
  }

  private heldBy(accountId: string): number {
    return this.byAccount.get(accountId) ?? 0;
  }
}
