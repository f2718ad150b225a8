import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/caller';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonItem } from '../common/envelope/json-item';
import type { JsonPage } from '../common/envelope/json-page';
import type { Page } from '../common/envelope/page';
import type { PageRequest } from '../common/paging/page-request';
import { RequirePermission } from '../platform/http/access';
import { ApiNoContent, ApiOneResponse, ApiPageResponse, ApiErrors } from '../platform/http/answers';
import { IfMatchHeader } from '../platform/http/conditions';
import { CurrentCaller } from '../platform/http/current-caller';
import { JsonBody } from '../platform/http/json-body';
import { AllowStale } from '../platform/http/allow-stale';
import { DatagridId, WorkspaceId } from '../platform/http/path-id';
import { PublicApiController } from '../platform/http/public-api';
import { Flag, Paging } from '../platform/http/query';
import { DatagridService } from './datagrid.service';
import { CreateDatagridDto } from './dto/create-datagrid.dto';
import { DatagridDto, ListedDatagridDto } from './dto/datagrid.dto';
import { UpdateDatagridDto } from './dto/update-datagrid.dto';
import { DatagridTrashService } from './trash/datagrid-trash.service';

@PublicApiController()
export class DatagridController {
  constructor(
    private readonly datagrids: DatagridService,
    private readonly trash: DatagridTrashService,
  ) {}

  /** Create a datagrid, with its columns. */
  @Post('workspaces/:workspaceId/datagrids')
  @RequirePermission('datagrids:write')
  @ApiOneResponse(201, DatagridDto)
  @ApiErrors('not_found', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(CreateDatagridDto) body: CreateDatagridDto,
  ): Promise<JsonItem> {
    return this.datagrids.create(caller.accountId, workspaceId, body, caller);
  }

  /** List a workspace's datagrids, the oldest first. */
  @Get('workspaces/:workspaceId/datagrids')
  @RequirePermission('datagrids:read')
  @ApiPageResponse(ListedDatagridDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @Paging() page: PageRequest,
    @Flag('omitColumns', 'Give `columnCount` instead of `columns`.') omitColumns: boolean,
  ): Promise<JsonPage | Page<ListedDatagridDto>> {
    return this.datagrids.list(caller.accountId, workspaceId, page, omitColumns);
  }

  /** Read one datagrid. */
  @Get('datagrids/:datagridId')
  @RequirePermission('datagrids:read')
  @AllowStale()
  @ApiOneResponse(200, DatagridDto)
  @ApiErrors('not_found')
  get(@CurrentCaller() caller: Caller, @DatagridId() id: string): Promise<JsonItem> {
    return this.datagrids.get(caller.accountId, id);
  }

  /** Change a datagrid's name or description. */
  @Patch('datagrids/:datagridId')
  @RequirePermission('datagrids:write')
  @ApiOneResponse(200, DatagridDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @DatagridId() id: string,
    @JsonBody(UpdateDatagridDto) body: UpdateDatagridDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonItem> {
    return this.datagrids.update(caller.accountId, id, body, ifMatch);
  }

  /** Put a datagrid with its rows into the trash, where it can be restored from for some days. */
  @Delete('datagrids/:datagridId')
  @RequirePermission('datagrids:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() id: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.trash.put(caller.accountId, id, ifMatch, caller);
  }
}
