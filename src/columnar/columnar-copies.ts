import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import type { ColumnarCopy } from './columnar-copy';
import { ColumnarMetrics } from './columnar-metrics';
import { CopyRoom } from './copy-room';

/** The columnar copies of this instance. */
@Injectable()
export class ColumnarCopies {
  private readonly copies = new Map<string, ColumnarCopy>();

  constructor(room: CopyRoom, metrics: ColumnarMetrics) {
    metrics.watch(() => this.list());
    room.register(() =>
      this.list().map((copy) => {
        const { accountId, bytes, usedAtMs } = copy;
        return { accountId, bytes, usedAtMs, canGo: true, drop: () => this.drop(copy) };
      }),
    );
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

  /** Removes a copy, and drops its table. Never throws. */
  async drop(copy: ColumnarCopy): Promise<void> {
    if (this.copies.get(copy.datagridId) === copy) this.copies.delete(copy.datagridId);
    await copy.drop();
  }
}
