import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { reachableWorkspaces } from '../common/caller/reach';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import {
  CurrentCaller,
  IfMatchHeader,
  ListsReachable,
  RequirePermission,
} from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import {
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
  ApiErrors,
} from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { WorkspaceId } from '../platform/http/path-id';
import { Flag, Paging } from '../platform/http/query';
import { CreateWorkspaceDto, UpdateWorkspaceDto, WorkspaceDto } from './dto/workspace.dto';
import { WorkspaceTrashService } from './trash/workspace-trash.service';
import { WorkspaceService } from './workspace.service';

@PublicApiController('workspaces')
export class WorkspaceController {
  constructor(
    private readonly workspaces: WorkspaceService,
    private readonly trash: WorkspaceTrashService,
  ) {}

  /**
   * Create a workspace
   *
   * @remarks Creates an empty workspace. If another workspace of the account has the name, the
   * request returns 409.
   */
  @Post()
  @RequirePermission('workspaces:write')
  @ApiOneResponse(201, WorkspaceDto)
  @ApiErrors('conflict')
  create(
    @CurrentCaller() caller: Caller,
    @JsonBody(CreateWorkspaceDto) body: CreateWorkspaceDto,
  ): Promise<JsonResponse<WorkspaceDto>> {
    return this.workspaces.create(caller.accountId, body, caller);
  }

  /**
   * List workspaces
   *
   * @remarks Returns one page of the workspaces that the key has access to, oldest first. Workspaces
   * in the trash are not included.
   */
  @Get()
  @RequirePermission('workspaces:read')
  @ListsReachable()
  @ApiPageResponse(WorkspaceDto)
  list(
    @CurrentCaller() caller: Caller,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<WorkspaceDto[]>> {
    return this.workspaces.list(caller.accountId, reachableWorkspaces(caller), page);
  }

  /**
   * Get a workspace
   *
   * @remarks Returns one workspace. A workspace in the trash returns 404.
   */
  @Get(':workspaceId')
  @RequirePermission('workspaces:read')
  @ApiOneResponse(200, WorkspaceDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() id: string,
  ): Promise<JsonResponse<WorkspaceDto>> {
    return this.workspaces.get(caller.accountId, id);
  }

  /**
   * Update a workspace
   *
   * @remarks Changes the properties that you send and keeps the others. If another workspace of the
   * account has the name, the request returns 409.
   */
  @Patch(':workspaceId')
  @RequirePermission('workspaces:write')
  @ApiOneResponse(200, WorkspaceDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() id: string,
    @JsonBody(UpdateWorkspaceDto) body: UpdateWorkspaceDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<WorkspaceDto>> {
    return this.workspaces.update(caller.accountId, id, body, ifMatch);
  }

  /**
   * Delete a workspace
   *
   * @remarks Moves the workspace to the trash, from which you can restore it for 7 days by default.
   * If it contains datagrids, the request returns 409 unless you send `cascade=true`, which deletes
   * them with it.
   */
  @Delete(':workspaceId')
  @RequirePermission('workspaces:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  delete(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() id: string,
    @Flag('cascade', 'Whether to delete the datagrids in the workspace, too.') cascade: boolean,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.trash.put(caller.accountId, id, cascade, ifMatch, caller);
  }
}
