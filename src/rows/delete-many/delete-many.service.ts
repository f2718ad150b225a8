import { Injectable } from '@nestjs/common';
import { AuditService } from '../../auth/audit/audit.service';
import { auditTarget } from '../../auth/audit/audit-target';
import type { Caller } from '../../common/caller/caller';
import { AppError, conflict } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { isOutOfTime } from '../../platform/database/database-error';
import { columnsWithoutIndex } from '../find/columns-without-index';
import type { Filter } from '../find/filter/filter';
import { parseFilter } from '../find/filter/parse-filter';
import { CounterRepository } from '../write/counter.repository';
import { RowDeleteRepository } from '../write/row-delete.repository';
import { SchemaBoundWrite } from '../write/schema-bound-write';
import { readDeleteBody, type DeleteRequest } from './delete-body';
import { MatchRepository } from './match.repository';

/** Deletes the rows of one account's datagrids that a filter matches. */
@Injectable()
export class DeleteManyService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly writes: SchemaBoundWrite,
    private readonly counters: CounterRepository,
    private readonly matches: MatchRepository,
    private readonly deletes: RowDeleteRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Deletes what `{ filter, maxAffected?, dryRun? }` says.
   * @throws AppError `not_found`, `invalid_request`, `query_too_expensive`; or `conflict` where more
   *   rows match than may go.
   */
  async delete(caller: Caller, datagridId: string, body: unknown): Promise<{ deleted: number }> {
    const request = readDeleteBody(body);
    return this.writes.run(caller.accountId, datagridId, async (schema) => {
      const filter = parseFilter(schema, request.filter);
      try {
        return await this.database.transaction(() =>
          this.deleteLocked(schema, request, filter, caller),
        );
      } catch (error) {
        throw isOutOfTime(error) ? tooExpensive(filter, error) : error;
      }
    });
  }

  private async deleteLocked(
    schema: DatagridSchema,
    { maxAffected, isDryRun }: DeleteRequest,
    filter: Filter,
    caller: Caller,
  ): Promise<{ deleted: number } | null> {
    const counter = await this.counters.lock(schema);
    if (!counter) return null;
    await this.matches.boundStatements(this.config.queryBudgetMs);
    if (maxAffected !== null || isDryRun) {
      const count = await this.matches.count(schema, filter);
      if (maxAffected !== null && count > maxAffected) throw tooMany(count, maxAffected);
      if (isDryRun) return { deleted: count };
    }
    const deleted = await this.deleteSteps(schema, filter, counter.revision + 1);
    if (deleted > 0) {
      const target = auditTarget('datagrid', schema.datagridId);
      const details = { rows: deleted };
      await this.audit.record(caller.accountId, caller, 'rows_deleted', target, { details });
    }
    return { deleted };
  }

  private async deleteSteps(
    schema: DatagridSchema,
    filter: Filter,
    revision: number,
  ): Promise<number> {
    let deleted = 0;
    let findingMs = 0;
    for (let afterId = 0; ;) {
      const start = performance.now();
      const ids = await this.matches.findIds(schema, filter, afterId);
      findingMs += performance.now() - start;
      if (findingMs > this.config.queryBudgetMs) throw tooExpensive(filter);
      const last = ids.at(-1);
      if (last === undefined) return deleted;
      if (deleted === 0) await this.counters.raise(schema);
      deleted += await this.deletes.delete(schema, ids, revision);
      afterId = last;
    }
  }
}

function tooMany(count: number, most: number): AppError {
  const message = `is ${String(most)}, and ${String(count)} rows match`;
  return conflict(`${String(count)} rows match, more than may be deleted.`, [
    { field: 'maxAffected', code: 'too_many', message },
  ]);
}

function tooExpensive(filter: Filter, cause?: unknown): AppError {
  const details = columnsWithoutIndex({ filter, sort: [] }).map(({ key: field }) => {
    return { field, code: 'not_indexed', message: 'is looked up in every row' };
  });
  const message = 'The rows could not be found in time: nothing is deleted. Use a narrower filter.';
  return new AppError('query_too_expensive', message, { details, cause });
}
