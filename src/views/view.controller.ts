import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import {
  ApiErrors,
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
} from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { DatagridId, ViewId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { CreateViewDto, UpdateViewDto, ViewDto } from './dto/view.dto';
import { ViewService } from './view.service';

@PublicApiController('datagrids/:datagridId/views')
export class ViewController {
  constructor(private readonly views: ViewService) {}

  /**
   * Create a view
   *
   * @remarks Saves a filter, a sort order, a search and a layout of columns under a name. Read its
   * rows with `view` of a row list. If another view of the datagrid has the name, or the datagrid
   * has 100 views, the request returns 409.
   */
  @Post()
  @RequirePermission('views:write')
  @ApiOneResponse(201, ViewDto)
  @ApiErrors('not_found', 'conflict', 'query_too_expensive')
  create(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(CreateViewDto) body: CreateViewDto,
  ): Promise<JsonResponse<ViewDto>> {
    return this.views.create(accountId, datagridId, body);
  }

  /**
   * List views
   *
   * @remarks Returns one page of the datagrid's views, oldest first.
   */
  @Get()
  @RequirePermission('views:read')
  @ApiPageResponse(ViewDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<ViewDto[]>> {
    return this.views.list(accountId, datagridId, page);
  }

  /**
   * Get a view
   *
   * @remarks Returns one view, with the present keys of its columns.
   */
  @Get(':viewId')
  @RequirePermission('views:read')
  @ApiOneResponse(200, ViewDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @ViewId() id: string,
  ): Promise<JsonResponse<ViewDto>> {
    return this.views.get({ accountId, datagridId, id });
  }

  /**
   * Update a view
   *
   * @remarks Changes the properties that you send and keeps the others. `columns` replaces the whole
   * layout. If another view of the datagrid has the name, the request returns 409.
   */
  @Patch(':viewId')
  @RequirePermission('views:write')
  @ApiOneResponse(200, ViewDto)
  @ApiErrors('not_found', 'conflict', 'query_too_expensive')
  update(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @ViewId() id: string,
    @JsonBody(UpdateViewDto) body: UpdateViewDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<ViewDto>> {
    return this.views.update({ accountId, datagridId, id }, body, ifMatch);
  }

  /**
   * Delete a view
   *
   * @remarks Deletes the view and its public link. Its rows and columns stay as they are.
   */
  @Delete(':viewId')
  @RequirePermission('views:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ViewId() id: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.views.delete({ accountId: caller.accountId, datagridId, id }, ifMatch, caller);
  }
}
