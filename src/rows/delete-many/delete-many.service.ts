import { Injectable } from '@nestjs/common';
import { AuditService } from '../../auth/audit/audit.service';
import { auditTarget } from '../../auth/audit/audit-action';
import type { Caller } from '../../common/caller/app-request';
import { conflict, type AppError } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { isStatementTimeout } from '../../platform/database/database-error';
import { requireAffordable } from '../query/filter/query-cost';
import { type Filter, isEveryRow, parseFilter } from '../query/filter/parse-filter';
import { queryTimeoutError } from '../query/query-errors';
import type { LockedCounter } from '../write/counter.repository';
import { RowSetWrites } from '../write/row-set-write';
import { SchemaBoundWrite } from '../write/schema-bound-write';
import { readDeleteBody, type DeleteRequest } from './id-list';
import { MatchSearchRepository } from './match.repository';
import { StillMatching } from './still-matching';

/**
 * Deletes the rows of a datagrid that match a filter. A row is deleted if the search finds it and
 * it still matches when it is deleted. The search takes no lock. Under the datagrid's lock, rows
 * are read by id, and the filter is applied only to rows written since the search began.
 */
@Injectable()
export class DeleteManyService {
  constructor(
    private readonly writes: SchemaBoundWrite,
    private readonly search: MatchSearchRepository,
    private readonly matching: StillMatching,
    private readonly sets: RowSetWrites,
    private readonly audit: AuditService,
  ) {}

  /**
   * Deletes the rows that `{ filter, maxAffected?, dryRun? }` selects.
   * @throws AppError `not_found`, `invalid_request`, `query_too_expensive`; `conflict` if more than
   *   `maxAffected` rows match, and as `LinkedDeletion.prepare`; `rate_limited` if the account has used its share of queries, or
   *   `unavailable` if all connections for queries are in use.
   */
  async delete(caller: Caller, datagridId: string, body: unknown): Promise<{ deleted: number }> {
    const request = readDeleteBody(body);
    const remove = async (schema: DatagridSchema): Promise<{ deleted: number } | null> => {
      const filter = parseFilter(schema, request.filter);
      requireAffordable(filter);
      try {
        return request.isDryRun
          ? await this.count(caller.accountId, schema, filter, request)
          : await this.deleteFound(caller, schema, filter, request);
      } catch (error) {
        if (!(error instanceof QueryTimeoutError) && !isStatementTimeout(error)) throw error;
        throw queryTimeoutError({ filter, search: null, sort: [] }, error);
      }
    };
    return this.writes.run(caller.accountId, datagridId, remove, true, () =>
      this.sets.hold(caller.accountId, datagridId),
    );
  }

  private async count(
    accountId: string,
    schema: DatagridSchema,
    filter: Filter,
    { maxAffected }: DeleteRequest,
  ): Promise<{ deleted: number } | null> {
    const count = await this.search.count(accountId, schema, filter);
    if (count === null) return null;
    requireFew(count, maxAffected);
    return { deleted: count };
  }

  private async deleteFound(
    caller: Caller,
    schema: DatagridSchema,
    filter: Filter,
    { maxAffected }: DeleteRequest,
  ): Promise<{ deleted: number } | null> {
    if (isEveryRow(filter)) {
      return this.deleteUnderLock(caller, schema, (counter) => {
        requireFew(counter.rowCount, maxAffected);
        return this.matching.everyRow(schema);
      });
    }
    const found = await this.search.find(caller.accountId, schema, filter);
    if (!found) return null;
    requireFew(found.ids.count, maxAffected);
    if (found.ids.count === 0) return { deleted: 0 };
    return this.deleteUnderLock(caller, schema, (counter) =>
      this.matching.stillMatching(schema, filter, found, counter.revision),
    );
  }

  /**
   * Deletes rows in a transaction that holds the datagrid's lock.
   * @param chunksOf Yields the ids of the rows to delete, some thousand at a time.
   * @returns `null` if the columns are no longer those of `schema`.
   */
  private async deleteUnderLock(
    caller: Caller,
    schema: DatagridSchema,
    chunksOf: (counter: LockedCounter) => AsyncGenerator<readonly number[]>,
  ): Promise<{ deleted: number } | null> {
    return this.sets.run({ author: caller, schema, deletes: true, adds: false }, async (write) => {
      const chunks = chunksOf(write.counter);
      let deleted = 0;
      // Rows that link to each other are deleted together, whatever their columns restrict.
      for await (const ids of schema.linkedBy.length > 0 ? together(chunks) : chunks)
        deleted += await write.delete(ids);
      if (deleted > 0) {
        const target = auditTarget('datagrid', schema.datagridId);
        const details = { rows: deleted };
        await this.audit.record(caller.accountId, caller, 'rows_deleted', target, { details });
      }
      return { deleted };
    });
  }
}

/** Yields the ids of all chunks at once, if there are any. */
async function* together(
  chunks: AsyncGenerator<readonly number[]>,
): AsyncGenerator<readonly number[]> {
  const all: number[] = [];
  for await (const ids of chunks) for (const id of ids) all.push(id);
  if (all.length > 0) yield all;
}

function requireFew(count: number, max: number | null): void {
  if (max !== null && count > max) throw tooMany(count, max);
}

function tooMany(count: number, max: number): AppError {
  const message = `is ${String(max)}, but ${String(count)} rows match`;
  return conflict(`${String(count)} rows match, more than maxAffected allows.`, [
    { field: 'maxAffected', code: 'too_many', message },
  ]);
}
