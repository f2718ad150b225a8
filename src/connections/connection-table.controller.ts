import { Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import {
  ApiErrors,
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
} from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { ConnectionId, DatagridId, WorkspaceId } from '../platform/http/path-id';
import { Paging, QueryParameters } from '../platform/http/query';
import { ConnectionTableService } from './connection-table.service';
import {
  ConnectionRunDto,
  ConnectionTableDto,
  UpdateConnectionTableDto,
} from './dto/connection-table.dto';

@PublicApiController('workspaces/:workspaceId/connections/:connectionId/tables')
export class ConnectionTableController {
  constructor(private readonly tables: ConnectionTableService) {}

  /**
   * List tables of a connection
   *
   * @remarks Returns one page of the tables with their progress, in the order in which their datagrids were
   * created. Tables of datagrids in the trash are not listed.
   */
  @Get()
  @RequirePermission('connections:read')
  @ApiPageResponse(ConnectionTableDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<ConnectionTableDto[]>> {
    return this.tables.list({ accountId, workspaceId, id }, page);
  }

  /**
   * Update a table of a connection
   *
   * @remarks Changes the name of the table before the first load, or the columns that are copied. The
   * next run adds and removes columns in the destination.
   */
  @Patch(':datagridId')
  @RequirePermission('connections:write')
  @ApiOneResponse(200, ConnectionTableDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @DatagridId() datagridId: string,
    @JsonBody(UpdateConnectionTableDto) body: UpdateConnectionTableDto,
  ): Promise<ConnectionTableDto> {
    const { accountId } = caller;
    return this.tables.update({ accountId, workspaceId, id, datagridId }, body, caller);
  }

  /**
   * Reset a table of a connection
   *
   * @remarks Requests that the table is loaded again. Until the new load is complete, the destination keeps
   * the rows that it has.
   */
  @Post(':datagridId/reset')
  @RequirePermission('connections:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  reset(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @DatagridId() datagridId: string,
  ): Promise<void> {
    const { accountId } = caller;
    return this.tables.request({ accountId, workspaceId, id, datagridId }, 'reset', caller);
  }

  /**
   * Check a table of a connection
   *
   * @remarks Requests that the table is compared with the datagrid. `checkedAt` and `differentRows` of the
   * table have the result.
   */
  @Post(':datagridId/check')
  @RequirePermission('connections:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  check(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @DatagridId() datagridId: string,
  ): Promise<void> {
    const { accountId } = caller;
    return this.tables.request({ accountId, workspaceId, id, datagridId }, 'check', caller);
  }

  /**
   * Repair a table of a connection
   *
   * @remarks Requests that the table is compared with the datagrid, and that rows that are different are
   * replaced.
   */
  @Post(':datagridId/repair')
  @RequirePermission('connections:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  repair(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @DatagridId() datagridId: string,
  ): Promise<void> {
    const { accountId } = caller;
    return this.tables.request({ accountId, workspaceId, id, datagridId }, 'repair', caller);
  }
}

@PublicApiController('workspaces/:workspaceId/connections/:connectionId/runs')
export class ConnectionRunController {
  constructor(private readonly tables: ConnectionTableService) {}

  /**
   * List runs of a connection
   *
   * @remarks Returns one page of the runs that have changed a table, or failed, newest first.
   */
  @Get()
  @RequirePermission('connections:read')
  @ApiPageResponse(ConnectionRunDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @QueryParameters({
      name: 'datagridId',
      required: false,
      description: 'Returns only runs of the table of this datagrid.',
      schema: { type: 'string', format: 'uuid' },
    })
    query: Readonly<Record<string, unknown>>,
  ): Promise<JsonResponse<ConnectionRunDto[]>> {
    return this.tables.listRuns({ accountId, workspaceId, id }, query);
  }
}
