import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import type { ColumnarCopy } from './columnar-copy';
import { ColumnarDatabase } from './columnar-database';
import { ColumnarMetrics } from './columnar-metrics';
import { dropTable, storeChanges } from './copy-table.repository';

/** The columnar copies of this instance. */
@Injectable()
export class ColumnarCopies {
  private readonly copies = new Map<string, ColumnarCopy>();

  constructor(
    private readonly database: ColumnarDatabase,
    metrics: ColumnarMetrics,
  ) {
    metrics.watch(() => this.list());
  }

  /**
   * Returns the copy of a datagrid for a version of its columns, and marks it as used; `undefined` if there
   * is none.
   */
  find(accountId: string, { datagridId, version }: DatagridSchema): ColumnarCopy | undefined {
    const copy = this.of(datagridId);
    if (copy?.accountId !== accountId || copy.schemaVersion !== version) return undefined;
    copy.usedAtMs = performance.now();
    return copy;
  }

  /** Returns the copy of a datagrid, for whatever version of its columns. */
  of(datagridId: string): ColumnarCopy | undefined {
    const copy = this.copies.get(datagridId);
    return copy?.isUsable === true ? copy : undefined;
  }

  list(): readonly ColumnarCopy[] {
    return [...this.copies.values()].filter(({ isUsable }) => isUsable);
  }

  add(copy: ColumnarCopy): void {
    this.copies.set(copy.datagridId, copy);
  }

  /**
   * Removes a copy, and drops its table. Queries that have begun to read it are not affected. Never throws.
   */
  async drop(copy: ColumnarCopy): Promise<void> {
    copy.discard();
    if (this.copies.get(copy.datagridId) === copy) this.copies.delete(copy.datagridId);
    const session = copy.process.connect();
    try {
      await copy.exclusively(() => dropTable(session, copy.state.table.name));
      await storeChanges(session);
    } catch {
      // The process has ended, and its tables with it.
    } finally {
      session.close();
    }
  }

  /**
   * Drops copies until all copies and a load have room: each time, the least recently used copy of the
   * account that takes the most bytes.
   * @param load Account of the load, and its size so far in bytes.
   * @returns whether there is room.
   */
  async makeRoom(load: Sized): Promise<boolean> {
    for (;;) {
      const all = [...this.list(), load];
      const total = bytesOf(all);
      if (total <= (await this.database.maxBytes(total))) return true;
      const most = accountWithMost(all);
      const [copy] = this.list()
        .filter(({ accountId }) => accountId === most)
        .sort((one, other) => one.usedAtMs - other.usedAtMs);
      // The account that takes the most has only the load itself.
      if (!copy) return false;
      await this.drop(copy);
    }
  }
}

type Sized = Pick<ColumnarCopy, 'accountId' | 'bytes'>;

const bytesOf = (all: readonly Sized[]): number => all.reduce((sum, { bytes }) => sum + bytes, 0);

function accountWithMost(all: readonly Sized[]): string | undefined {
  const accounts = [...new Set(all.map(({ accountId }) => accountId))];
  const ofAccount = (id: string): number => bytesOf(all.filter((one) => one.accountId === id));
  return accounts.sort((one, other) => ofAccount(other) - ofAccount(one))[0];
}
