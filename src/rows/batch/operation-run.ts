import { Injectable } from '@nestjs/common';
import type { WriteResponse } from '../../common/envelope/write-response';
import { AppError } from '../../common/error/app-error';
import type { Writer } from '../../datagrids/change-log/change-log-sql';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { rowBytes } from '../values/row-bytes';
import { changedReadOnly, withCreator } from '../values/read-only-values';
import { rejectLargeRow, rejectProblems } from '../values/row-values';
import { printCreatedRows, printedBytes } from '../storage/row-json';
import { RowCreateRepository } from '../write/row-create.repository';
import { SchemaBoundWrite } from '../write/schema-bound-write';
import {
  type BatchRow,
  type BatchState,
  changedSlots,
  type SlotValues,
  type UniqueHashes,
} from './batch-state';
import {
  ambiguous,
  type Batch,
  type BatchOutcome,
  missingValues,
  noSuchRow,
  type OperationResult,
  otherRevision,
  taken,
} from './operation';
import type { Preparation, PreparedOperation } from './prepared-operation';

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
        return this.replace(this.target(operation), values, hashes, operation.row.path);
      case 'update':
        return this.merge(this.target(operation), prepared, hashes, operation.row.path);
      case 'upsert': {
        const { path } = operation.row;
        const row = this.matched(prepared, hashes, path);
        if (row) {
          rejectOtherRevision(operation, row);
          return this.merge(row, prepared, hashes, path);
        }
        rejectProblems(changedReadOnly(values.readOnly ?? [], {}));
        const created = this.newValues(values);
        const missing = this.schema.required.filter(({ slot }) => !Object.hasOwn(created, slot));
        if (missing.length > 0) throw missingValues(path, missing);
        // Without default values, the size was checked before.
        if (created !== values.bySlot) {
          rejectLargeRow(rowBytes(created, JSON.stringify(created)), this.maxRowBytes, path);
        }
        return this.create(created, hashes, path);
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
    rejectOtherRevision(operation, row);
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

  /** Returns the values of a row that an upsert creates, with default values. */
  private newValues({ bySlot, cleared }: PreparedOperation['values']): SlotValues {
    const { defaulted } = this.schema;
    if (defaulted.length === 0) return bySlot;
    const named = new Set(cleared);
    const absent = defaulted.filter(({ slot }) => !named.has(slot));
    const defaults = Object.fromEntries(absent.map((column) => [column.slot, column.defaultValue]));
    return { ...defaults, ...bySlot };
  }

  private create(values: SlotValues, hashes: UniqueHashes, path: string): OperationResult {
    this.rejectTaken(hashes, path);
    return this.done('created', this.state.create(values, hashes));
  }

  private replace(
    row: BatchRow,
    { bySlot, readOnly = [] }: PreparedOperation['values'],
    hashes: UniqueHashes,
    path: string,
  ): OperationResult {
    rejectProblems(changedReadOnly(readOnly, row.values));
    return this.change(row, this.state.readOnly.kept(row.values, bySlot), hashes, path);
  }

  private merge(
    row: BatchRow,
    { values: { bySlot, cleared, readOnly = [] } }: PreparedOperation,
    hashes: UniqueHashes,
    path: string,
  ): OperationResult {
    rejectProblems(changedReadOnly(readOnly, row.values));
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
    this.rejectTaken(hashes, path, row.id);
    rejectLargeRow(rowBytes(values, JSON.stringify(values)), this.maxRowBytes, path);
    return this.done('updated', this.state.change(row, values, hashes, slots));
  }

  private rejectTaken(hashes: UniqueHashes, path: string, ownId?: number): void {
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

function rejectOtherRevision(
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

/** Fast path for a request that only creates rows: one statement, and no rows are read. */
@Injectable()
export class CreateRun {
  constructor(
    private readonly writes: SchemaBoundWrite,
    private readonly creates: RowCreateRepository,
    private readonly quota: RowQuota,
  ) {}

  /**
   * Returns the operations, or `null` if they cannot take the fast path. In partial mode they can
   * only if no row can be rejected: there are no unique columns, no links and no row quota.
   */
  creatable(
    { unique, links }: DatagridSchema,
    { isAtomic, isDryRun }: Batch,
    prepared: readonly Preparation[],
  ): PreparedOperation[] | null {
    if (isDryRun || (!isAtomic && (unique.length + links.length > 0 || this.quota.isSet)))
      return null;
    const creates = prepared.filter(isCreate);
    return creates.length === prepared.length ? creates : null;
  }

  /**
   * Creates the rows.
   * @returns `null` if the write must be retried.
   * @throws AppError `conflict`, `quota_exceeded`
   */
  async run(
    writer: Writer,
    schema: DatagridSchema,
    prepared: readonly PreparedOperation[],
    response: WriteResponse,
  ): Promise<BatchOutcome | null> {
    const { accountId } = writer;
    const stored = withCreator(schema, writer, prepared.map(jsonOf), 'slot');
    const shown = response.isMinimal ? null : await printByKey(writer, schema, prepared, stored);
    // The rows are at most as long as the request body, whose size is limited.
    response.reserve(printedBytes(shown ?? prepared.map(() => null), schema.readOnly));
    const json = `[${stored.join(',')}]`;
    const paths = prepared.map(({ operation }) => `${operation.path}.values`);
    const created = await this.writes.explainConflicts(schema, { json, paths }, () =>
      this.quota.run(accountId, () =>
        this.creates.create(schema, { json, count: prepared.length }, writer),
      ),
    );
    if (!created) return null;
    const { firstId, revision } = created;
    const rows = shown && printCreatedRows(created, shown, schema.readOnly);
    const results = prepared.map((_, index) => {
      const row = rows ? `"row":${rows[index] ?? ''}` : `"revision":${String(revision)}`;
      return `{"status":"created","id":${String(firstId + index)},${row}}`;
    });
    return { results: `[${results.join(',')}]`, revision };
  }
}

function isCreate(each: Preparation): each is PreparedOperation {
  return !(each instanceof AppError) && each.operation.op === 'create';
}

/** Returns each row's values, by column key, as JSON text. */
async function printByKey(
  writer: Writer,
  schema: DatagridSchema,
  prepared: readonly PreparedOperation[],
  stored: readonly string[],
): Promise<readonly string[]> {
  if (schema.isPlain) return stored;
  const byKey = await mapInSlices(writer.accountId, prepared, ({ values }) =>
    JSON.stringify(values.byKey),
  );
  return withCreator(schema, writer, byKey, 'key');
}

const jsonOf = ({ json }: PreparedOperation): string => json;
