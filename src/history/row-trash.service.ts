import { Injectable } from '@nestjs/common';
import { auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { quotaExceeded } from '../auth/quota/quota.service';
import type { Caller } from '../common/caller/app-request';
import { JsonResponse } from '../common/envelope/json-response';
import { AppError, conflict, type FieldError, notFound } from '../common/error/app-error';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { AppConfig } from '../platform/config/app-config';
import { mapInSlices } from '../platform/fairness/event-loop-turns';
import { etagOfText } from '../platform/http/etag';
import { encodePosition, type Position, positionRequest } from './position-cursor';
import { checkRow, printWithinLimit } from '../rows/values/row-values';
import type { DeletedRow } from '../rows/write/row-recreate.repository';
import { type RowSetWrite, RowSetWrites } from '../rows/write/row-set-write';
import { SchemaBoundWrite } from '../rows/write/schema-bound-write';
import type { RestoreRowsResultDto } from './dto/row-trash.dto';
import { type ListedRow, RowTrashRepository, type TrashedRow } from './row-trash.repository';

/** Position before the most recent deletion. */
const START: Position = [Number.MAX_SAFE_INTEGER, 0];

/** Deleted rows that can be restored. */
@Injectable()
export class RowTrashService {
  constructor(
    private readonly config: AppConfig,
    private readonly writes: SchemaBoundWrite,
    private readonly repository: RowTrashRepository,
    private readonly sets: RowSetWrites,
    private readonly audit: AuditService,
  ) {}

  /**
   * Returns a page of deleted rows, newest first.
   * @param query Query parameters of the request.
   * @throws AppError `invalid_request` or `not_found`
   */
  async list(
    accountId: string,
    datagridId: string,
    query: Readonly<Record<string, unknown>>,
  ): Promise<JsonResponse> {
    const { limit, after } = positionRequest(datagridId, query, 'datagrid');
    const found = await this.repository.list(accountId, datagridId, after ?? START, limit + 1);
    if (!found) throw notFound('Datagrid');
    const full = found.findIndex(({ values }) => values === null);
    const page = found.slice(0, full < 0 ? limit : Math.min(full, limit));
    const last = page.at(-1);
    const hasMore = page.length < found.length;
    const position = last && ([last.revision, last.id] as const);
    const nextCursor = position && hasMore ? encodePosition(datagridId, position) : null;
    const json = `[${page.map(print).join(',')}]`;
    return JsonResponse.cursorPage(json, page.length, nextCursor, { etag: etagOfText(json) });
  }

  /**
   * Creates deleted rows again, all or none.
   * @param ids Ids of the rows, each once.
   * @throws AppError `not_found` for the datagrid; `conflict` with the rows that are not in the trash,
   *   the values that do not fit the columns or are not unique, or if the rows are too large
   *   together; `quota_exceeded`.
   */
  async restore(
    caller: Caller,
    datagridId: string,
    ids: readonly number[],
  ): Promise<RestoreRowsResultDto> {
    const { accountId } = caller;
    return this.writes.run(accountId, datagridId, (schema) =>
      this.sets.run({ author: caller, schema, deletes: false, adds: true }, async (write) => {
        await this.recreate(accountId, write, ids);
        const target = auditTarget('datagrid', datagridId);
        const details = { rows: ids.length };
        await this.audit.record(accountId, caller, 'rows_restored', target, { details });
        return { restored: ids.length, revision: write.revision };
      }),
    );
  }

  /** Creates the rows in as few steps as their size allows, usually in one. */
  private async recreate(
    accountId: string,
    write: RowSetWrite,
    ids: readonly number[],
  ): Promise<void> {
    const { schema, room } = write;
    let bytes = 0;
    for (let left = ids; left.length > 0;) {
      const found = await this.repository.find(accountId, schema.datagridId, left);
      if (found.length < left.length) throw notInTrash(ids, left, found);
      if (left === ids && ids.length > Math.max(0, room.left))
        throw quotaExceeded('rows', room.max);
      const rows = await this.check(accountId, schema, found);
      bytes += rows.reduce((total, { json }) => total + json.length, 0);
      if (bytes > this.config.maxUndoBytes) throw tooLarge(this.config.maxUndoBytes);
      const json = `[${rows.map((row) => row.json).join(',')}]`;
      const paths = rows.map(({ id }) => pathOf(id));
      await write.raise();
      const work = async (): Promise<true> => {
        await write.recreate(rows);
        return true;
      };
      if (!(await this.writes.explainConflicts(schema, { json, paths, isStored: true }, work))) {
        throw new Error('A unique value was released under the lock.');
      }
      left = found.slice(rows.length).map(({ id }) => id);
    }
    // At the end: the rows can link to each other.
    await write.enterLinks(ids, pathOf);
  }

  /** Returns the rows that were read with their values, if all of these fit the columns. */
  private async check(
    accountId: string,
    schema: DatagridSchema,
    found: readonly TrashedRow[],
  ): Promise<DeletedRow[]> {
    const errors: FieldError[] = [];
    const checked = await mapInSlices(accountId, found, ({ id, createdAt, values }) => {
      if (values === null) return null;
      const path = pathOf(id);
      try {
        const given = JSON.parse(values) as Record<string, unknown>;
        const { bySlot } = checkRow(schema, { values: given, path }, 'stored');
        return { id, createdAt, json: printWithinLimit(bySlot, this.config.maxRowBytes, path) };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        errors.push(...error.details);
        return null;
      }
    });
    if (errors.length > 0) throw valuesDoNotFit(errors);
    return checked.filter((row) => row !== null);
  }
}

/** Prints a row as the API returns it. */
function print({ id, values, removedColumns, ...row }: ListedRow): string {
  const { revision, createdAt, updatedAt, deletedAt, expiresAt, userId, keyId } = row;
  const times = { revision, createdAt, updatedAt, deletedAt, expiresAt, userId, keyId };
  const rest = JSON.stringify({ removedColumns, ...times }).slice(1);
  return `{"id":${String(id)},"values":${values ?? 'null'},${rest}`;
}

const pathOf = (rowId: number): string => `rows.${String(rowId)}.values`;

function notInTrash(
  ids: readonly number[],
  left: readonly number[],
  found: readonly TrashedRow[],
): AppError {
  const present = new Set(found.map(({ id }) => id));
  const missing = left.filter((id) => !present.has(id));
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const details = missing.map((id): FieldError => {
    const field = `ids.${String(indexes.get(id))}`;
    return { field, code: 'conflicting_rows', message: `row ${String(id)} is not in the trash` };
  });
  const message =
    missing.length === 1
      ? '1 of these rows is not in the trash.'
      : `${String(missing.length)} of these rows are not in the trash.`;
  return conflict(message, details);
}

function valuesDoNotFit(details: readonly FieldError[]): AppError {
  return conflict('The values of deleted rows do not fit the columns of the datagrid.', details);
}

function tooLarge(maxBytes: number): AppError {
  return conflict(
    `The deleted rows are too large together. At most ${String(maxBytes)} bytes can be restored in one request.`,
  );
}
