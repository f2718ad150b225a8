import { accountShare } from './account-semaphore';

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

interface Account<V> {
  bytes: number;
  /** Entries, the least recently used first. */
  readonly entries: Map<string, Entry<V>>;
}

/**
 * Cache bounded by the bytes of its values, in total and per account. An account that exceeds its
 * share loses its own least recently used values, not those of others.
 */
export class AccountCache<V> {
  private bytes = 0;
  /** Accounts, the least recently used first. */
  private readonly accounts = new Map<string, Account<V>>();
  private readonly shareBytes: number;

  constructor(private readonly maxBytes: number) {
    this.shareBytes = accountShare(maxBytes);
  }

  get(accountId: string, key: string): V | undefined {
    const account = this.accounts.get(accountId);
    const entry = account?.entries.get(key);
    if (!account || !entry) return undefined;
    if (this.accounts.size > 1) moveToEnd(this.accounts, accountId, account);
    if (account.entries.size > 1) moveToEnd(account.entries, key, entry);
    return entry.value;
  }

  /** Stores a value, unless it is larger than an account's share. */
  set(accountId: string, key: string, value: V, bytes: number): void {
    this.delete(accountId, key);
    if (bytes > this.shareBytes) return;
    const account = this.accounts.get(accountId) ?? { bytes: 0, entries: new Map() };
    moveToEnd(this.accounts, accountId, account);
    account.entries.set(key, { value, bytes });
    account.bytes += bytes;
    this.bytes += bytes;
    while (account.bytes > this.shareBytes) this.deleteOldest(accountId, account);
    while (this.bytes > this.maxBytes) this.deleteOldest(...firstOf(this.accounts));
  }

  delete(accountId: string, key: string): void {
    const account = this.accounts.get(accountId);
    const entry = account?.entries.get(key);
    if (!account || !entry) return;
    account.entries.delete(key);
    account.bytes -= entry.bytes;
    this.bytes -= entry.bytes;
    if (account.entries.size === 0) this.accounts.delete(accountId);
  }

  private deleteOldest(accountId: string, account: Account<V>): void {
    this.delete(accountId, firstOf(account.entries)[0]);
  }
}

function moveToEnd<K, T>(map: Map<K, T>, key: K, value: T): void {
  map.delete(key);
  map.set(key, value);
}

function firstOf<K, T>(map: ReadonlyMap<K, T>): [K, T] {
  for (const first of map) return first;
  throw new Error('The map is empty.');
}

/** Limits bytes in use, in total and per account. One account may use half. */
export class AccountByteCounter {
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
