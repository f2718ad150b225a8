import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/caller';
import type { IfMatch } from '../common/conditional/if-match';
import type { Item } from '../common/envelope/item';
import type { Page } from '../common/envelope/page';
import type { PageRequest } from '../common/paging/page-request';
import { RequirePermission } from '../platform/http/access';
import { ApiNoContent, ApiOneResponse, ApiPageResponse, ApiErrors } from '../platform/http/answers';
import { IfMatchHeader } from '../platform/http/conditions';
import { CurrentCaller } from '../platform/http/current-caller';
import { JsonBody } from '../platform/http/json-body';
import { WorkspaceId } from '../platform/http/path-id';
import { PublicApiController } from '../platform/http/public-api';
import { Flag, Paging } from '../platform/http/query';
import { CreateWorkspaceDto } from './dto/create-workspace.dto';
import { UpdateWorkspaceDto } from './dto/update-workspace.dto';
import { WorkspaceDto } from './dto/workspace.dto';
import { WorkspaceTrashService } from './trash/workspace-trash.service';
import { WorkspaceService } from './workspace.service';

@PublicApiController('workspaces')
export class WorkspaceController {
  constructor(
    private readonly workspaces: WorkspaceService,
    private readonly trash: WorkspaceTrashService,
  ) {}

  /** Create a workspace. */
  @Post()
  @RequirePermission('workspaces:write')
  @ApiOneResponse(201, WorkspaceDto)
  @ApiErrors('conflict')
  create(
    @CurrentCaller() caller: Caller,
    @JsonBody(CreateWorkspaceDto) body: CreateWorkspaceDto,
  ): Promise<Item<WorkspaceDto>> {
    return this.workspaces.create(caller.accountId, body, caller);
  }

  /** List the account's workspaces, the oldest first. */
  @Get()
  @RequirePermission('workspaces:read')
  @ApiPageResponse(WorkspaceDto)
  list(@CurrentCaller() caller: Caller, @Paging() page: PageRequest): Promise<Page<WorkspaceDto>> {
    return this.workspaces.list(caller.accountId, page);
  }

  /** Read one workspace. */
  @Get(':workspaceId')
  @RequirePermission('workspaces:read')
  @ApiOneResponse(200, WorkspaceDto)
  @ApiErrors('not_found')
  get(@CurrentCaller() caller: Caller, @WorkspaceId() id: string): Promise<Item<WorkspaceDto>> {
    return this.workspaces.get(caller.accountId, id);
  }

  /** Change a workspace's name or description. */
  @Patch(':workspaceId')
  @RequirePermission('workspaces:write')
  @ApiOneResponse(200, WorkspaceDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() id: string,
    @JsonBody(UpdateWorkspaceDto) body: UpdateWorkspaceDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<Item<WorkspaceDto>> {
    return this.workspaces.update(caller.accountId, id, body, ifMatch);
  }

  /**
   * Put a workspace into the trash, where it can be restored from for some days; one that holds
   * datagrids only with `cascade=true`.
   */
  @Delete(':workspaceId')
  @RequirePermission('workspaces:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  delete(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() id: string,
    @Flag('cascade', 'Delete the datagrids in it too.') cascade: boolean,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.trash.put(caller.accountId, id, cascade, ifMatch, caller);
  }
}
