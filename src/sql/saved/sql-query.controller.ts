import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { IfMatch } from '../../common/conditional/if-match';
import type { JsonResponse } from '../../common/envelope/json-response';
import type { PageRequest } from '../../common/paging/page-request';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../../platform/http/access';
import {
  ApiErrors,
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
} from '../../platform/http/api-responses';
import { JsonBody } from '../../platform/http/json-body';
import { SqlQueryId, WorkspaceId } from '../../platform/http/path-id';
import { Paging } from '../../platform/http/query';
import { PublicApiController } from '../../platform/routes/api-controller';
import { CreateSqlQueryDto, SqlQueryDto, UpdateSqlQueryDto } from './sql-query.dto';
import { SqlQueryService } from './sql-query.service';

@PublicApiController('workspaces/:workspaceId/sql/queries')
export class SqlQueryController {
  constructor(private readonly queries: SqlQueryService) {}

  /**
   * Create a saved query
   *
   * @remarks Saves a statement under a name, for all users of the workspace. The statement is checked when
   * it runs, not when it is saved. If another query of the workspace has the name, or the workspace has 100
   * queries, the request returns 409.
   */
  @Post()
  @RequirePermission('views:write')
  @ApiOneResponse(201, SqlQueryDto)
  @ApiErrors('not_found', 'conflict')
  create(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(CreateSqlQueryDto) body: CreateSqlQueryDto,
  ): Promise<JsonResponse<SqlQueryDto>> {
    return this.queries.create(accountId, workspaceId, body);
  }

  /**
   * List saved queries
   *
   * @remarks Returns one page of the workspace's saved queries, oldest first.
   */
  @Get()
  @RequirePermission('views:read')
  @ApiPageResponse(SqlQueryDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<SqlQueryDto[]>> {
    return this.queries.list(accountId, workspaceId, page);
  }

  /**
   * Get a saved query
   *
   * @remarks Returns one query.
   */
  @Get(':queryId')
  @RequirePermission('views:read')
  @ApiOneResponse(200, SqlQueryDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @SqlQueryId() id: string,
  ): Promise<JsonResponse<SqlQueryDto>> {
    return this.queries.get({ accountId, workspaceId, id });
  }

  /**
   * Update a saved query
   *
   * @remarks Changes the properties that you send and keeps the others. If another query of the workspace
   * has the name, the request returns 409.
   */
  @Patch(':queryId')
  @RequirePermission('views:write')
  @ApiOneResponse(200, SqlQueryDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @SqlQueryId() id: string,
    @JsonBody(UpdateSqlQueryDto) body: UpdateSqlQueryDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<SqlQueryDto>> {
    return this.queries.update({ accountId, workspaceId, id }, body, ifMatch);
  }

  /**
   * Delete a saved query
   *
   * @remarks Deletes the query. Nothing else changes.
   */
  @Delete(':queryId')
  @RequirePermission('views:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @SqlQueryId() id: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.queries.delete({ accountId, workspaceId, id }, ifMatch);
  }
}
