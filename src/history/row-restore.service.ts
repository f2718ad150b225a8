import { Injectable } from '@nestjs/common';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import type { WriteResponse } from '../common/envelope/write-response';
import { AppError, conflict, type FieldError, notFound } from '../common/error/app-error';
import type { Writer } from '../datagrids/change-log/change-log-sql';
import { RowQuota } from '../datagrids/quota/row-quota';
import { quotaExceeded } from '../auth/quota/quota.service';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { rowEtag } from '../rows/storage/row-json-sql';
import { checkRow, printWithinLimit } from '../rows/values/row-values';
import { RowChangeRepository } from '../rows/write/row-change.repository';
import { RowRecreateRepository } from '../rows/write/row-recreate.repository';
import { SchemaBoundWrite } from '../rows/write/schema-bound-write';
import { HistoryRepository, type VersionValues } from './history.repository';

/** Restores rows to earlier versions. */
@Injectable()
export class RowRestoreService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly writes: SchemaBoundWrite,
    private readonly versions: HistoryRepository,
    private readonly changes: RowChangeRepository,
    private readonly recreations: RowRecreateRepository,
    private readonly quota: RowQuota,
  ) {}

  /**
   * Replaces the values of a row with those of a version, or creates a deleted row again.
   * @param revision The revision at which the version begins.
   * @throws AppError `not_found` for the row or the version; `conflict` if the values do not fit the
   *   columns, or a unique value is used; `precondition_failed`, `quota_exceeded`.
   */
  async restore(
    writer: Writer,
    datagridId: string,
    rowId: number,
    revision: number,
    ifMatch: IfMatch,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const row = { accountId: writer.accountId, datagridId, rowId };
    return this.writes.run(writer.accountId, datagridId, async (schema) => {
      const version = await this.versions.find(row, revision);
      if (!version) {
        throw notFound((await this.versions.hasRow(row)) ? 'Version' : 'Row');
      }
      const json = this.checkVersion(schema, version, revision);
      const isStored = true as const;
      const given = { json: `[${json}]`, paths: ['values'], exceptRowId: rowId, isStored };
      return this.writes.explainConflicts(schema, given, () =>
        this.database.transaction(async () => {
          const room = await this.quota.room(writer.accountId);
          const write = await this.changes.lock(schema, writer);
          if (!write) return null;
          const current = await this.changes.findRevision(datagridId, rowId);
          if (current !== null) ifMatch.require(rowEtag(current, schema.version));
          else ifMatch.requireMissing();
          const change = { json, cleared: [], replaces: true };
          if (current === null && room.left <= 0) throw quotaExceeded('rows', room.max);
          const printed =
            current === null
              ? await this.recreations.recreate(
                  schema,
                  [{ id: rowId, createdAt: version.createdAt, json }],
                  write,
                )
              : (await this.changes.change(schema, rowId, write, change, null))?.json;
          if (typeof printed !== 'string') throw new Error('The row changed under the lock.');
          response.reserve(printed.length);
          return JsonResponse.printed(printed, { etag: rowEtag(write.revision, schema.version) });
        }),
      );
    });
  }

  /** Returns the values by slot, as JSON text. @throws AppError `conflict` if they do not fit. */
  private checkVersion(
    schema: DatagridSchema,
    { values }: VersionValues,
    revision: number,
  ): string {
    try {
      const given = JSON.parse(values) as Record<string, unknown>;
      const { bySlot } = checkRow(schema, { values: given, path: 'values' }, 'stored');
      return printWithinLimit(bySlot, this.config.maxRowBytes, 'values');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw valuesDoNotFit(revision, error.details);
    }
  }
}

function valuesDoNotFit(revision: number, details: readonly FieldError[]): AppError {
  const message = `The values of revision ${String(revision)} do not fit the columns of the datagrid.`;
  return conflict(message, details);
}
