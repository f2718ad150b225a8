import { AppError } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { rowBytes } from '../values/row-bytes';
import { refuseLargeRow } from '../values/row-values';
import type { BatchState } from './batch-state';
import { changedSlots, type BatchRow, type SlotValues, type UniqueHashes } from './batch-row';
import { ambiguous, missingValues, noSuchRow, otherRevision, taken } from './operation-failure';
import type { OperationResult } from './operation-result';
import type { PreparedOperation } from './prepared-operation';

/** Applies the operations of one request, one after another, to the rows in memory. */
export class OperationRun {
  constructor(
    private readonly schema: DatagridSchema,
    private readonly state: BatchState,
    private readonly maxRowBytes: number,
  ) {}

  /**
   * Applies one operation.
   * @param hashes Hashes of the operation's values in unique columns.
   * @throws AppError if the operation fails. It has then changed nothing.
   */
  apply(prepared: PreparedOperation, hashes: UniqueHashes): OperationResult {
    const { operation, values } = prepared;
    switch (operation.op) {
      case 'create':
        return this.create(values.bySlot, hashes, operation.row.path);
      case 'delete': {
        const row = this.target(operation);
        this.state.delete(row);
        return { status: 'deleted', id: row.id };
      }
      case 'replace':
        return this.change(this.target(operation), values.bySlot, hashes, operation.row.path);
      case 'update':
        return this.merge(this.target(operation), prepared, hashes, operation.row.path);
      case 'upsert': {
        const { path } = operation.row;
        const row = this.matched(prepared, hashes, path);
        if (row) {
          refuseOtherRevision(operation, row);
          return this.merge(row, prepared, hashes, path);
        }
        const missing = this.schema.required.filter(
          ({ slot }) => !Object.hasOwn(values.bySlot, slot),
        );
        if (missing.length > 0) throw missingValues(path, missing);
        return this.create(values.bySlot, hashes, path);
      }
    }
  }

  private target(operation: {
    readonly id: number;
    readonly path: string;
    readonly ifRevision: number | undefined;
  }): BatchRow {
    const row = this.state.find(operation.id);
    if (!row) throw noSuchRow(operation.path);
    refuseOtherRevision(operation, row);
    return row;
  }

  /**
   * Returns the row that has all values of the `matchOn` columns, or undefined if no row has any
   * of them.
   * @throws AppError `conflict` if rows have some of them, but no row has all.
   */
  private matched(
    { matchOn }: PreparedOperation,
    hashes: UniqueHashes,
    path: string,
  ): BatchRow | undefined {
    const found = matchOn.flatMap((column) => {
      const rowId = this.state.holder(column.id, hashes.get(column.id) ?? '');
      return rowId === undefined ? [] : [{ column, rowId }];
    });
    const [first] = found;
    if (!first) return undefined;
    const isOne = found.every(({ rowId }) => rowId === first.rowId);
    if (!isOne || found.length < matchOn.length) throw ambiguous(path, found);
    return this.state.find(first.rowId);
  }

  private create(values: SlotValues, hashes: UniqueHashes, path: string): OperationResult {
    this.refuseTaken(hashes, path);
    return this.done('created', this.state.create(values, hashes));
  }

  private merge(
    row: BatchRow,
    { values: { bySlot, cleared } }: PreparedOperation,
    hashes: UniqueHashes,
    path: string,
  ): OperationResult {
    const gone = new Set(cleared);
    const values = Object.fromEntries(
      Object.entries({ ...row.values, ...bySlot }).filter(([slot]) => !gone.has(slot)),
    );
    const merged = new Map([...row.hashes, ...hashes]);
    for (const { id, slot } of this.schema.unique) if (gone.has(slot)) merged.delete(id);
    return this.change(row, values, merged, path);
  }

  private change(
    row: BatchRow,
    values: SlotValues,
    hashes: UniqueHashes,
    path: string,
  ): OperationResult {
    const slots = changedSlots(this.schema, row.values, values);
    if (slots.length === 0) return this.done('unchanged', row);
    this.refuseTaken(hashes, path, row.id);
    refuseLargeRow(rowBytes(values, JSON.stringify(values)), this.maxRowBytes, path);
    return this.done('updated', this.state.change(row, values, hashes, slots));
  }

  private refuseTaken(hashes: UniqueHashes, path: string, ownId?: number): void {
    const found = this.schema.unique.flatMap((column) => {
      const hash = hashes.get(column.id);
      const holder = hash === undefined ? undefined : this.state.holder(column.id, hash);
      if (holder === undefined || holder === ownId) return [];
      return [{ column, rowId: this.state.isNew(holder) ? null : holder }];
    });
    if (found.length > 0) throw taken(path, found);
  }

  private done(status: OperationResult['status'], row: BatchRow): OperationResult {
    return { status, id: row.id, row };
  }
}

function refuseOtherRevision(
  { path, ifRevision }: { readonly path: string; readonly ifRevision: number | undefined },
  { revision }: BatchRow,
): void {
  if (ifRevision !== undefined && ifRevision !== revision) throw otherRevision(path, revision);
}

/** Returns the result of `work`, or the AppError that it threw. */
export function resultOf(work: () => OperationResult): OperationResult | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
