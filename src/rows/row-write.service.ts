import { Injectable } from '@nestjs/common';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import type { WriteResponse } from '../common/envelope/write-response';
import { notFound } from '../common/error/app-error';
import type { JsonValue } from '../common/json/token-reader';
import type { Author, Writer } from '../datagrids/change-log/change-log-sql';
import { RowQuota } from '../datagrids/quota/row-quota';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';
import { mapInSlices } from '../platform/fairness/event-loop-turns';
import { LinkedDeletion } from './write/linked-deletion';
import { requireFewLinks } from './link/linked-ids';
import { printCreatedRows, printedBytes } from './storage/row-json';
import { rowEtag } from './storage/row-json-sql';
import { rowBytes } from './values/row-bytes';
import {
  type CheckedValues,
  checkRow,
  checkNewRows,
  printWithinLimit,
  readRowBodies,
  readRowBody,
  rejectLargeRow,
  rejectProblems,
  type RowBodies,
} from './values/row-values';
import { changedReadOnly, type GivenReadOnlyValue, withCreator } from './values/read-only-values';
import { InsertBatcher } from './write/insert-batcher';
import { RowCreateRepository } from './write/row-create.repository';
import {
  RowChangeRepository,
  type ChangedSlots,
  type RowChange,
} from './write/row-change.repository';
import { RowDeleteRepository } from './write/row-delete.repository';
import { SchemaBoundWrite } from './write/schema-bound-write';

/** A change of a row whose values are valid for the columns. */
interface CheckedChange extends RowChange {
  readonly slots: ChangedSlots;
  readonly readOnly: CheckedValues['readOnly'];
}

/** Writes rows of one account's datagrids. */
@Injectable()
export class RowWriteService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly writes: SchemaBoundWrite,
    private readonly creates: RowCreateRepository,
    private readonly insertBatcher: InsertBatcher,
    private readonly changes: RowChangeRepository,
    private readonly deletes: RowDeleteRepository,
    private readonly linked: LinkedDeletion,
    private readonly quota: RowQuota,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Creates one row from `{ values }`, or all or none from `{ rows: [{ values }, …] }`.
   * @throws AppError `not_found`, `invalid_request`, `payload_too_large`, `quota_exceeded`, or
   *   `conflict` with the unique columns.
   */
  async create(
    writer: Writer,
    datagridId: string,
    body: unknown,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const bodies = readRowBodies(body);
    const create = (): Promise<JsonResponse> =>
      this.createRows(writer, datagridId, bodies, response);
    // Inside a transaction the request already has a permit.
    const needsPlace = bodies.isList && !this.database.isInTransaction;
    return needsPlace ? this.gate.run(writer.accountId, create) : create();
  }

  private async createRows(
    writer: Writer,
    datagridId: string,
    { rows, isList }: RowBodies,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const { accountId } = writer;
    const create = async (schema: DatagridSchema): Promise<JsonResponse | null> => {
      const checked = await checkNewRows(accountId, schema, rows);
      const written = checked.map(({ bySlot }) => bySlot);
      requireFewLinks(schema, written, 'rows');
      const given = await mapInSlices(accountId, written, (values, index) =>
        this.print(schema, values, rows[index]?.path),
      );
      const stored = withCreator(schema, writer, given, 'slot');
      const shown = await this.shown(writer, schema, checked, stored, response.isMinimal);
      response.reserve(printedBytes(shown, schema.readOnly));
      const json = `[${stored.join(',')}]`;
      const paths = rows.map(({ path }) => path);
      const [first = ''] = stored;
      const created = await this.writes.explainConflicts(schema, { json, paths }, () =>
        // Rows with links are not batched: one wrong link would fail all of them.
        isList || schema.links.length > 0
          ? this.quota.run(accountId, () =>
              this.creates.create(schema, { json, count: stored.length }, writer),
            )
          : this.insertBatcher.create(writer, schema, first),
      );
      if (!created) return null;
      const printed = printCreatedRows(created, shown, schema.readOnly);
      const [only = ''] = printed;
      if (!isList)
        return JsonResponse.printed(only, { etag: rowEtag(created.revision, schema.version) });
      const page = { page: 1, limit: printed.length };
      return JsonResponse.printedPage(
        `[${printed.join(',')}]`,
        printed.length,
        printed.length,
        page,
      );
    };
    const hasPlace = isList || this.database.isInTransaction;
    return this.writes.run(accountId, datagridId, create, hasPlace);
  }

  /**
   * Merges values into a row; `null` clears a value.
   * @throws AppError as `create`, or `precondition_failed` if the row does not match `ifMatch`.
   */
  async merge(
    writer: Writer,
    datagridId: string,
    rowId: number,
    body: unknown,
    ifMatch: IfMatch,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const row = readRowBody(body);
    return this.writes.run(writer.accountId, datagridId, (schema) => {
      const { bySlot, cleared, readOnly } = checkRow(schema, row, 'merge');
      const json = this.print(schema, bySlot);
      const slots = new Set([...Object.keys(bySlot), ...cleared]);
      const change = { json, cleared, replaces: false, slots, readOnly };
      return this.change(writer, schema, rowId, change, ifMatch, response);
    });
  }

  /** Replaces all values of a row. @throws AppError as `merge` */
  async replace(
    writer: Writer,
    datagridId: string,
    rowId: number,
    body: unknown,
    ifMatch: IfMatch,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const row = readRowBody(body);
    return this.writes.run(writer.accountId, datagridId, (schema) => {
      const { bySlot, readOnly } = checkRow(schema, row, 'replacement');
      const json = this.print(schema, bySlot);
      const change = { json, cleared: [], replaces: true, slots: null, readOnly };
      return this.change(writer, schema, rowId, change, ifMatch, response);
    });
  }

  /**
   * Deletes a row.
   * @throws AppError `not_found`, `precondition_failed` if the row does not match `ifMatch`, or
   *   `conflict` as `LinkedDeletion.prepare`.
   */
  async delete(writer: Writer, datagridId: string, rowId: number, ifMatch: IfMatch): Promise<void> {
    const { accountId } = writer;
    const remove = (schema: DatagridSchema): Promise<true | null> =>
      this.database.transaction(async () => {
        const locks = await this.linked.lock(accountId, schema, () =>
          this.changes.lock(schema, writer),
        );
        if (!locks) return null;
        const write = locks.own;
        await this.requireMatch(schema, rowId, ifMatch);
        const { ids, part } = await this.linked.prepare(locks, schema, [rowId], write);
        if ((await this.deletes.delete(schema, ids, write, part)) === 0) throw notFound('Row');
        return true;
      });
    await this.writes.run(accountId, datagridId, remove, true, () =>
      this.linked.hold(accountId, datagridId),
    );
  }

  private change(
    author: Author,
    schema: DatagridSchema,
    rowId: number,
    { slots, readOnly = [], ...change }: CheckedChange,
    ifMatch: IfMatch,
    response: WriteResponse,
  ): Promise<JsonResponse | null> {
    const given = { json: `[${change.json}]`, paths: ['values'], exceptRowId: rowId };
    return this.writes.explainConflicts(schema, given, () =>
      this.database.transaction(async () => {
        const write = await this.changes.lock(schema, author);
        if (!write) return null;
        await this.requireMatch(schema, rowId, ifMatch);
        await this.requireStored(schema, rowId, readOnly);
        const changed = await this.changes.change(schema, rowId, write, change, slots);
        if (!changed) throw notFound('Row');
        // PostgreSQL's text is never shorter than the size that counts, so most rows need no second
        // check.
        if (changed.bytes > this.config.maxRowBytes) {
          rejectLargeRow(valuesBytes(changed.json), this.config.maxRowBytes, 'values');
        }
        response.reserve(changed.json.length);
        return JsonResponse.printed(changed.json, {
          etag: rowEtag(write.revision, schema.version),
        });
      }),
    );
  }

  /**
   * Checks `If-Match` under the datagrid's lock: a match holds until the change is made.
   * @throws AppError `not_found` or `precondition_failed`
   */
  private async requireMatch(
    schema: DatagridSchema,
    rowId: number,
    ifMatch: IfMatch,
  ): Promise<void> {
    if (ifMatch.isAny) return;
    const revision = await this.changes.findRevision(schema.datagridId, rowId);
    if (revision === null) throw notFound('Row');
    ifMatch.require(rowEtag(revision, schema.version));
  }

  /**
   * Checks the values that the service sets, under the datagrid's lock.
   * @throws AppError `not_found`, or `invalid_request` if the row has other values.
   */
  private async requireStored(
    { datagridId }: DatagridSchema,
    rowId: number,
    given: readonly GivenReadOnlyValue[],
  ): Promise<void> {
    if (given.length === 0) return;
    const slots = given.map(({ slot }) => slot);
    const stored = await this.changes.findValues(datagridId, rowId, slots);
    if (!stored) throw notFound('Row');
    rejectProblems(changedReadOnly(given, stored));
  }

  /** Prints the values that a client has sent. @throws AppError `payload_too_large` */
  private print(
    { readOnly }: DatagridSchema,
    values: CheckedValues['bySlot'],
    path = 'values',
  ): string {
    const maxBytes = this.config.maxRowBytes - (readOnly?.maxBytes ?? 0);
    return printWithinLimit(values, maxBytes, path);
  }

  /**
   * Returns each row's values as the response contains them; `null` if the response has no values.
   */
  private async shown(
    writer: Writer,
    schema: DatagridSchema,
    checked: readonly CheckedValues[],
    stored: readonly string[],
    isMinimal: boolean,
  ): Promise<readonly (string | null)[]> {
    if (isMinimal) return stored.map(() => null);
    if (schema.isPlain) return stored;
    const { accountId } = writer;
    const byKey = await mapInSlices(accountId, checked, (row) => JSON.stringify(row.byKey));
    return withCreator(schema, writer, byKey, 'key');
  }
}

/**
 * Returns the size in bytes of a printed row's values, computed as on creation: without the white
 * space that PostgreSQL prints, and without values of removed columns.
 */
function valuesBytes(rowJson: string): number {
  const { values } = JSON.parse(rowJson) as { values: JsonValue };
  return rowBytes(values, JSON.stringify(values));
}
