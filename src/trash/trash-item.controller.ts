import { Delete, Get, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import {
  ApiNoContent,
  ApiOneOfResponses,
  ApiPageResponse,
  ApiErrors,
} from '../platform/http/api-responses';
import { TrashItemId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { RESTORED, RestoredItemDto, type Restored, TrashItemDto } from './dto/trash-item.dto';
import { TrashService } from './trash.service';

@PublicApiController('trash')
export class TrashItemController {
  constructor(private readonly trash: TrashService) {}

  /**
   * List deleted items
   *
   * @remarks Returns one page of the deleted workspaces and datagrids that you can restore, most
   * recently deleted first.
   */
  @Get()
  @RequirePermission('datagrids:read')
  @ApiPageResponse(TrashItemDto)
  list(
    @CurrentCaller() caller: Caller,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<TrashItemDto[]>> {
    return this.trash.list(caller.accountId, page);
  }

  /**
   * Restore an item
   *
   * @remarks Restores a workspace with the datagrids that were deleted with it, or a datagrid with
   * its rows, and returns it. If another object has taken the name, or if the workspace of a
   * datagrid is in the trash, the request returns 409.
   */
  @Post(':itemId/restore')
  @RequirePermission('workspaces:write')
  @ApiOneOfResponses(200, RestoredItemDto, RESTORED)
  @ApiErrors('not_found', 'conflict')
  restore(@CurrentCaller() caller: Caller, @TrashItemId() id: string): Promise<Restored> {
    return this.trash.restore(caller.accountId, id, caller);
  }

  /**
   * Purge an item
   *
   * @remarks Deletes a workspace or datagrid in the trash for good. A workspace is purged with its
   * datagrids. A datagrid that was deleted with its workspace returns 409: purge the workspace.
   */
  @Delete(':itemId')
  @RequirePermission('workspaces:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  purge(@CurrentCaller() caller: Caller, @TrashItemId() id: string): Promise<void> {
    return this.trash.purge(caller.accountId, id, caller);
  }
}
