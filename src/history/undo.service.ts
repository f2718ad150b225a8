import { Injectable } from '@nestjs/common';
import { auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { quotaExceeded } from '../auth/quota/quota.service';
import type { Caller } from '../common/caller/app-request';
import { AppError, conflict, type FieldError, notFound } from '../common/error/app-error';
import { turnOwner } from '../datagrids/change-log/change-log-sql';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { mapInSlices } from '../platform/fairness/event-loop-turns';
import { checkRow, printWithinLimit } from '../rows/values/row-values';
import type { DeletedRow } from '../rows/write/row-recreate.repository';
import { type RowSetWrite, RowSetWrites } from '../rows/write/row-set-write';
import { SchemaBoundWrite } from '../rows/write/schema-bound-write';
import {
  isUniqueViolation,
  UniqueConflictRepository,
} from '../rows/write/unique-conflict.repository';
import type { UndoWriteDto, UndoWriteResultDto } from './dto/history.dto';
import {
  MAX_NAMED_CONFLICTS,
  type ReplacedRow,
  type UndoneEntry,
  UndoRepository,
} from './undo.repository';

/** Maximum number of rows of a write that can be undone, which bounds the time under the lock. */
const MAX_UNDO_ROWS = 100_000;

/** Maximum number of rows that one statement creates. */
const STEP_ROWS = 5_000;
/** Size of the values of one statement, as stored: large values are compressed, at most to 1/90. */
const STEP_BYTES = 256 * 1024;

/** Undoes a write of rows. */
@Injectable()
export class UndoService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly writes: SchemaBoundWrite,
    private readonly repository: UndoRepository,
    private readonly uniqueConflicts: UniqueConflictRepository,
    private readonly audit: AuditService,
    private readonly sets: RowSetWrites,
  ) {}

  /**
   * Undoes the write of a revision: deletes the rows that it created, gives the rows that it updated
   * their values back, and creates the rows that it deleted again. Rows that were written since are
   * conflicts.
   * @throws AppError `not_found` for the datagrid or the write; `conflict` if rows conflict and are
   *   not to be skipped, if values do not fit the columns or are not unique, or if the write has too
   *   many or too large rows or its versions were not stored; `quota_exceeded`.
   */
  async undo(
    caller: Caller,
    datagridId: string,
    { revision, skipConflicts = false, dryRun = false }: UndoWriteDto,
  ): Promise<UndoWriteResultDto> {
    const { accountId } = caller;
    const undo = (schema: DatagridSchema): Promise<UndoWriteResultDto | null> =>
      this.sets.run({ author: caller, schema, deletes: true, adds: true }, async (write) => {
        const plan = await this.plan(datagridId, revision);
        const { createdIds, result } = plan;
        const { skipped: conflicts } = result;
        if (conflicts > 0 && !skipConflicts) throw changedSince(conflicts, plan.conflictIds);
        if (dryRun) return { ...result, revision: write.revision };
        const run = new UndoRun(revision, caller, write, skipConflicts, conflicts);
        await this.deleteCreated(run, createdIds);
        await this.revertUpdated(run);
        await this.recreateDeleted(run);
        // At the end: rows of the write can link to each other.
        await write.enterLinks(run.writtenIds, pathOf);
        const { deleted, updated, restored, skipped } = run;
        const rows = deleted + updated + restored;
        if (rows > 0) {
          const target = auditTarget('datagrid', datagridId);
          const details = { revision, rows };
          await this.audit.record(accountId, caller, 'rows_undone', target, { details });
        }
        return { deleted, updated, restored, skipped, revision: write.revision };
      });
    return this.writes.run(accountId, datagridId, undo, true, () =>
      this.sets.hold(accountId, datagridId),
    );
  }

  /**
   * Returns what an undo would do now.
   * @throws AppError `not_found`, or `conflict` if the write cannot be undone.
   */
  private async plan(datagridId: string, revision: number): Promise<UndoPlan> {
    const entries = await this.repository.listEntries(datagridId, revision, MAX_UNDO_ROWS);
    if (entries.length === 0) throw notFound('Write');
    // A restored column is a change of columns that logs rows, too.
    if (!entries.every(({ kind }) => ['create', 'update', 'delete'].includes(kind))) {
      throw conflict(`Revision ${String(revision)} changed no rows.`);
    }
    const rows = entries.reduce((total, { rowCount }) => total + rowCount, 0);
    if (rows > MAX_UNDO_ROWS) throw tooManyRows(rows);
    const createdIds = entries.flatMap((entry) => createdBy(entry, revision));
    const own = new Set(createdIds);
    const replaced = entries.flatMap(({ kind, rowIds }) =>
      kind === 'create' ? [] : (rowIds ?? []).filter((id) => !own.has(id)),
    );
    const created = await this.repository.countCreated(datagridId, revision, createdIds);
    const stored = await this.repository.countStored(datagridId, revision);
    if (stored.rows < replaced.length) throw notStored(revision);
    const { updated, deleted } = stored;
    const conflicts = [created.conflicts, stored.conflicts];
    return {
      createdIds,
      result: {
        deleted: created.rows - created.conflicts.count,
        updated,
        restored: deleted,
        skipped: conflicts.reduce((sum, { count }) => sum + count, 0),
      },
      conflictIds: conflicts.flatMap(({ ids }) => ids).slice(0, MAX_NAMED_CONFLICTS),
    };
  }

  private async deleteCreated(run: UndoRun, createdIds: readonly number[]): Promise<void> {
    const { datagridId } = run.write.schema;
    const own = await this.repository.listUnchangedIds(datagridId, run.revision, createdIds);
    run.deleted += await run.write.delete(own);
  }

  /**
   * Gives rows their values back, all at once, because they may exchange unique values. The batch or
   * import that updated them has read them all at once too.
   */
  private async revertUpdated(run: UndoRun): Promise<void> {
    const { schema } = run.write;
    const maxBytes = Number.MAX_SAFE_INTEGER;
    const step = { isDeletion: false, afterId: 0, maxRows: MAX_UNDO_ROWS, maxBytes };
    const found = await this.repository.listVersions(schema.datagridId, run.revision, step);
    const rows = await this.checkRows(run, found);
    if (rows.length === 0) return;
    const changes = rows.map((row) => ({ ...row, cleared: [], replaces: true }));
    await run.write.raise();
    await this.explainConflicts(schema, rows, () => run.write.change(changes, null, 'later'));
    run.updated += rows.length;
    for (const { id } of rows) run.writtenIds.push(id);
  }

  private async recreateDeleted(run: UndoRun): Promise<void> {
    const { schema, room } = run.write;
    for (let afterId = 0; ;) {
      const step = { isDeletion: true, afterId, maxRows: STEP_ROWS, maxBytes: STEP_BYTES };
      const found = await this.repository.listVersions(schema.datagridId, run.revision, step);
      const last = found.at(-1);
      if (!last) return;
      afterId = last.id;
      const rows = await this.checkRows(run, found);
      run.restored += rows.length;
      if (run.restored - run.deleted > Math.max(0, room.left)) {
        throw quotaExceeded('rows', room.max);
      }
      if (rows.length === 0) continue;
      for (const { id } of rows) run.writtenIds.push(id);
      await run.write.raise();
      await this.explainConflicts(schema, rows, () => run.write.recreate(rows));
    }
  }

  /** Returns the rows whose values fit the columns. @throws AppError `conflict` for the others */
  private async checkRows(run: UndoRun, found: readonly ReplacedRow[]): Promise<DeletedRow[]> {
    const { schema } = run.write;
    const owner = turnOwner(run.author, schema.datagridId);
    const checked = await mapInSlices(owner, found, (row) => {
      const path = pathOf(row.id);
      try {
        const values = JSON.parse(row.values) as Record<string, unknown>;
        const { bySlot } = checkRow(schema, { values, path }, 'stored');
        const json = printWithinLimit(bySlot, this.config.maxRowBytes, path);
        return { id: row.id, createdAt: row.createdAt, json };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (!run.skipsConflicts) throw valuesDoNotFit(run.revision, error.details);
        run.skipped += 1;
        return null;
      }
    });
    const rows = checked.filter((row) => row !== null);
    run.bytes += rows.reduce((total, { json }) => total + json.length, 0);
    // Stored values are compressed. Their size is known only now.
    if (run.bytes > this.config.maxUndoBytes) throw tooLarge(this.config.maxUndoBytes);
    return rows;
  }

  /** Runs a write of rows. @throws AppError `conflict` with the values that are not unique */
  private async explainConflicts(
    schema: DatagridSchema,
    rows: readonly DeletedRow[],
    work: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await this.database.savepoint(work);
      return;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const json = `[${rows.map((row) => row.json).join(',')}]`;
    const found = await this.uniqueConflicts.list(schema, json);
    const own = new Set(rows.map(({ id }) => id));
    const details = found.flatMap(({ index, columnId, rowId }): FieldError[] => {
      // A row of the write gives up its value.
      if (rowId === null || own.has(rowId)) return [];
      const key = schema.unique.find(({ id }) => id === columnId)?.key ?? '';
      const message = `must be unique, but row ${String(rowId)} already has this value`;
      return [{ field: `${pathOf(rows[index]?.id ?? 0)}.${key}`, code: 'duplicate', message }];
    });
    throw conflict('Duplicate value in a unique column.', details);
  }
}

/** Progress of an undo. */
class UndoRun {
  deleted = 0;
  updated = 0;
  restored = 0;
  /** Size of the values that have been read. */
  bytes = 0;
  /** Rows that were updated or created again. */
  readonly writtenIds: number[] = [];

  /** @param skipped Number of rows that conflict. */
  constructor(
    readonly revision: number,
    readonly author: Caller,
    readonly write: RowSetWrite,
    readonly skipsConflicts: boolean,
    public skipped: number,
  ) {}
}

interface UndoPlan {
  readonly createdIds: readonly number[];
  /** Numbers of rows, if all values fit the columns. */
  readonly result: Omit<UndoWriteResultDto, 'revision'>;
  readonly conflictIds: readonly number[];
}

/** Returns the ids of the rows that the write of `revision` created, of those of its entry. */
function createdBy(entry: UndoneEntry, revision: number): number[] {
  const { kind, firstId, rowCount, rowIds, revisions } = entry;
  if (kind !== 'create') return [];
  if (rowIds) return [...rowIds];
  if (firstId === null) return [];
  // Rows of separate requests that were inserted together have one revision each.
  if (revisions > 1) return [firstId + revision - (entry.revision - revisions + 1)];
  return Array.from({ length: rowCount }, (_, index) => firstId + index);
}

const pathOf = (rowId: number): string => `rows.${String(rowId)}.values`;

function changedSince(count: number, ids: readonly number[]): AppError {
  const details = ids.map((id): FieldError => {
    return { field: `rows.${String(id)}`, code: 'conflicting_rows', message: 'was written since' };
  });
  const message =
    count === 1
      ? '1 row of this write was written since.'
      : `${String(count)} rows of this write were written since.`;
  return conflict(message, details);
}

function valuesDoNotFit(revision: number, details: readonly FieldError[]): AppError {
  const at = String(revision);
  const message = `The values before revision ${at} do not fit the columns of the datagrid.`;
  return conflict(message, details);
}

function notStored(revision: number): AppError {
  return conflict(`The values before revision ${String(revision)} are not stored.`);
}

function tooManyRows(rows: number): AppError {
  const max = String(MAX_UNDO_ROWS);
  return conflict(`This write has ${String(rows)} rows. At most ${max} can be undone.`);
}

function tooLarge(maxBytes: number): AppError {
  return conflict(
    `The values before this write are too large together. At most ${String(maxBytes)} bytes can be undone.`,
  );
}
