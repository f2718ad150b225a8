import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import {
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
  ApiErrors,
} from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { AllowStale } from '../platform/http/allow-stale';
import { DatagridId, WorkspaceId } from '../platform/http/path-id';
import { Flag, Paging } from '../platform/http/query';
import { DatagridService } from './datagrid.service';
import {
  CreateDatagridDto,
  DatagridDto,
  ListedDatagridDto,
  UpdateDatagridDto,
} from './dto/datagrid.dto';
import { DatagridTrashService } from './trash/datagrid-trash.service';

@PublicApiController()
export class DatagridController {
  constructor(
    private readonly datagrids: DatagridService,
    private readonly trash: DatagridTrashService,
  ) {}

  /**
   * Create a datagrid
   *
   * @remarks Creates a datagrid in the workspace, with the columns that you send. You can add
   * columns later. If another datagrid of the workspace has the name, the request returns 409.
   */
  @Post('workspaces/:workspaceId/datagrids')
  @RequirePermission('datagrids:write')
  @ApiOneResponse(201, DatagridDto)
  @ApiErrors('not_found', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(CreateDatagridDto) body: CreateDatagridDto,
  ): Promise<JsonResponse<DatagridDto>> {
    return this.datagrids.create(caller.accountId, workspaceId, body, caller);
  }

  /**
   * List datagrids
   *
   * @remarks Returns one page of the workspace's datagrids, oldest first. If the columns of a page
   * have more than 8 MiB in total, the request returns 400: use a smaller `limit`, or
   * `omitColumns=true`.
   */
  @Get('workspaces/:workspaceId/datagrids')
  @RequirePermission('datagrids:read')
  @ApiPageResponse(ListedDatagridDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @Paging() page: PageRequest,
    @Flag('omitColumns', 'Whether to return `columnCount` in place of `columns`.')
    omitColumns: boolean,
  ): Promise<JsonResponse<ListedDatagridDto[]>> {
    return this.datagrids.list(caller.accountId, workspaceId, page, omitColumns);
  }

  /**
   * Get a datagrid
   *
   * @remarks Returns one datagrid with its columns and the exact number of its rows. A datagrid in
   * the trash returns 404.
   */
  @Get('datagrids/:datagridId')
  @RequirePermission('datagrids:read')
  @AllowStale()
  @ApiOneResponse(200, DatagridDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() id: string,
  ): Promise<JsonResponse<DatagridDto>> {
    return this.datagrids.get(caller.accountId, id);
  }

  /**
   * Update a datagrid
   *
   * @remarks Changes the properties that you send and keeps the others. To change columns, use the
   * routes of columns. If another datagrid of the workspace has the name, the request returns 409.
   */
  @Patch('datagrids/:datagridId')
  @RequirePermission('datagrids:write')
  @ApiOneResponse(200, DatagridDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @DatagridId() id: string,
    @JsonBody(UpdateDatagridDto) body: UpdateDatagridDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<DatagridDto>> {
    return this.datagrids.update(caller.accountId, id, body, ifMatch);
  }

  /**
   * Delete a datagrid
   *
   * @remarks Moves the datagrid and its rows to the trash, from which you can restore them for 7
   * days by default.
   * If a column of another datagrid links to it, the request returns 409.
   */
  @Delete('datagrids/:datagridId')
  @RequirePermission('datagrids:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() id: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.trash.put(caller.accountId, id, ifMatch, caller);
  }
}
