import { Injectable } from '@nestjs/common';
import { QuotaService } from '../../auth/quota/quota.service';
import type { IfMatch } from '../../common/conditional/if-match';
import { JsonResponse } from '../../common/envelope/json-response';
import { conflict, notFound } from '../../common/error/app-error';
import type { PageRequest } from '../../common/paging/page-request';
import { foldName, newId } from '../../common/text/id';
import { Database } from '../../platform/database/database';
import { etagOf } from '../../platform/http/etag';
import { WorkspaceService } from '../../workspaces/workspace.service';
import {
  type CreateSqlQueryDto,
  MAX_SQL_QUERIES,
  type SqlQueryDto,
  type UpdateSqlQueryDto,
  withFreeSqlQueryName,
} from './sql-query.dto';
import { type SqlQueryRecord, type SqlQueryRef, SqlQueryRepository } from './sql-query.repository';

/** Saved queries of workspaces. */
@Injectable()
export class SqlQueryService {
  constructor(
    private readonly database: Database,
    private readonly repository: SqlQueryRepository,
    private readonly workspaces: WorkspaceService,
    private readonly quotas: QuotaService,
  ) {}

  /**
   * @throws AppError `not_found` for the workspace, or `conflict` if the name is taken or the workspace
   *   has MAX_SQL_QUERIES queries.
   */
  async create(
    accountId: string,
    workspaceId: string,
    { name, sql }: CreateSqlQueryDto,
  ): Promise<JsonResponse<SqlQueryDto>> {
    const ref = { accountId, workspaceId, id: newId() };
    return this.change(async () => {
      // Serializes the count with other new queries of the account.
      await this.quotas.lock(accountId);
      await this.hold(ref);
      if ((await this.repository.count(workspaceId)) >= MAX_SQL_QUERIES) throw tooManyQueries();
      await this.repository.insert({ workspaceId, id: ref.id, name, nameKey: foldName(name), sql });
      return this.get(ref);
    });
  }

  /** @throws AppError `not_found` for the workspace. */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<JsonResponse<SqlQueryDto[]>> {
    await this.workspaces.get(accountId, workspaceId);
    const [queries, total] = await this.repository.list(workspaceId, page);
    return JsonResponse.page(queries.map(toDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(ref: SqlQueryRef): Promise<JsonResponse<SqlQueryDto>> {
    const query = await this.repository.find(ref);
    if (!query) throw notFound('Saved query');
    const data = toDto(query);
    return JsonResponse.of(data, etagOf(data, String(query.version)));
  }

  /** @throws AppError `not_found`, `conflict` if the name is taken, `precondition_failed` */
  async update(
    ref: SqlQueryRef,
    { name, sql }: UpdateSqlQueryDto,
    ifMatch: IfMatch,
  ): Promise<JsonResponse<SqlQueryDto>> {
    return this.change(async () => {
      await this.lockMatching(ref, ifMatch);
      await this.repository.update(ref, {
        ...(name !== undefined && { name, nameKey: foldName(name) }),
        ...(sql !== undefined && { sql }),
      });
      return this.get(ref);
    });
  }

  /** @throws AppError `not_found`, `precondition_failed` */
  async delete(ref: SqlQueryRef, ifMatch: IfMatch): Promise<void> {
    await this.change(async () => {
      await this.lockMatching(ref, ifMatch);
      await this.repository.delete(ref);
    });
  }

  private change<T>(work: () => Promise<T>): Promise<T> {
    return withFreeSqlQueryName(() => this.database.transaction(work));
  }

  private async lockMatching(ref: SqlQueryRef, ifMatch: IfMatch): Promise<void> {
    await this.hold(ref);
    await this.repository.lock(ref);
    ifMatch.require((await this.get(ref)).etag);
  }

  private async hold({ accountId, workspaceId }: SqlQueryRef): Promise<void> {
    if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound('Workspace');
  }
}

function tooManyQueries(): Error {
  const max = String(MAX_SQL_QUERIES);
  return conflict(
    `The workspace has ${max} saved queries, which is the maximum. Delete a query first.`,
  );
}

function toDto({ id, name, sql, createdAt, updatedAt }: SqlQueryRecord): SqlQueryDto {
  return {
    id,
    name,
    sql,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
