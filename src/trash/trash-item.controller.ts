import { Delete, Get, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/caller';
import type { Page } from '../common/envelope/page';
import type { PageRequest } from '../common/paging/page-request';
import { RequirePermission } from '../platform/http/access';
import {
  ApiNoContent,
  ApiOneOfResponses,
  ApiPageResponse,
  ApiErrors,
} from '../platform/http/answers';
import { CurrentCaller } from '../platform/http/current-caller';
import { TrashItemId } from '../platform/http/path-id';
import { PublicApiController } from '../platform/http/public-api';
import { Paging } from '../platform/http/query';
import { RESTORED, type Restored } from './dto/restored.dto';
import { TrashItemDto } from './dto/trash-item.dto';
import { TrashService } from './trash.service';

@PublicApiController('trash')
export class TrashItemController {
  constructor(private readonly trash: TrashService) {}

  /** List what was deleted and can be restored, the last deleted first. */
  @Get()
  @RequirePermission('datagrids:read')
  @ApiPageResponse(TrashItemDto)
  list(@CurrentCaller() caller: Caller, @Paging() page: PageRequest): Promise<Page<TrashItemDto>> {
    return this.trash.list(caller.accountId, page);
  }

  /**
   * Bring a workspace back, with the datagrids that went with it, or a datagrid with its rows; the
   * answer is what was restored, as it is now.
   */
  @Post(':itemId/restore')
  @RequirePermission('workspaces:write')
  @ApiOneOfResponses(200, RESTORED)
  @ApiErrors('not_found', 'conflict')
  restore(@CurrentCaller() caller: Caller, @TrashItemId() id: string): Promise<Restored> {
    return this.trash.restore(caller.accountId, id, caller);
  }

  /** Purge a workspace or datagrid for good; nothing brings it back. */
  @Delete(':itemId')
  @RequirePermission('workspaces:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  purge(@CurrentCaller() caller: Caller, @TrashItemId() id: string): Promise<void> {
    return this.trash.purge(caller.accountId, id, caller);
  }
}
