import { Get, Post } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest, Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import {
  CurrentCaller,
  CurrentResponse,
  RequestHeaders,
  RequirePermission,
  ServesPart,
} from '../platform/http/access';
import { ApiErrors, ApiPageResponse, ApiResultResponse } from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { WorkspaceId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import type { PageRequest } from '../common/paging/page-request';
import type { StreamedResponse } from '../platform/http/streamed-response';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import { RunSqlDto, SqlMetaDto, SqlTableDto } from './dto/sql.dto';
import { SqlService } from './sql.service';

/** SQL over the datagrids of a workspace. */
@PublicApiController('workspaces/:workspaceId/sql')
export class SqlController {
  constructor(private readonly sql: SqlService) {}

  /**
   * List SQL tables
   *
   * @remarks Returns one page of the tables that statements can read, in the order in which their datagrids
   * were created. A limited key gets its datagrids only. Columns have the keys of the datagrid's columns.
   */
  @Get('tables')
  @RequirePermission('rows:read')
  @ServesPart()
  @EnterGateInService()
  @ApiPageResponse(SqlTableDto)
  @ApiErrors('not_found', 'query_too_expensive')
  tables(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<SqlTableDto[]>> {
    return this.sql.tables(caller, workspaceId, page);
  }

  /**
   * Run SQL
   *
   * @remarks Runs one SELECT over the datagrids of the workspace, from one snapshot. Each datagrid is a
   * table with its name in lower case and `_` in place of other characters, and each column has its key.
   * `_id`, `_revision`, `_createdAt` and `_updatedAt` are columns, too. The dialect is that of DuckDB. A
   * limited key can read its datagrids only. With `Accept: text/csv`, `application/x-ndjson` or
   * `application/vnd.apache.parquet`, all rows arrive as one file. It is a read: `Idempotency-Key` is ignored.
   */
  @Post()
  @RequirePermission('rows:read')
  @ServesPart()
  @EnterGateInService()
  @ApiResultResponse(SqlMetaDto)
  @ApiErrors('not_found', 'query_too_expensive')
  run(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(RunSqlDto) body: RunSqlDto,
    @RequestHeaders() { accept }: AppRequest['headers'],
    @CurrentResponse() response: Response,
  ): Promise<JsonResponse | StreamedResponse> {
    const controller = new AbortController();
    response.once('close', () => {
      controller.abort();
    });
    if (response.destroyed) controller.abort();
    return this.sql.run(caller, workspaceId, body, accept, controller.signal);
  }
}
