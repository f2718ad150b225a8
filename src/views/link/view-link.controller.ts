import { Delete, Get, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import { CurrentCaller, RequestOrigin, RequirePermission } from '../../platform/http/access';
import { PublicApiController } from '../../platform/routes/api-controller';
import { ApiErrors, ApiNoContent, ApiOneResponse } from '../../platform/http/api-responses';
import { JsonBody } from '../../platform/http/json-body';
import { DatagridId, ViewId } from '../../platform/http/path-id';
import { SecretInResponse } from '../../platform/idempotency/claim';
import { CreateViewLinkDto, ViewLinkDto, ViewLinkWithUrlDto } from './view-link.dto';
import { ViewLinkService } from './view-link.service';

@PublicApiController('datagrids/:datagridId/views/:viewId/link')
export class ViewLinkController {
  constructor(private readonly links: ViewLinkService) {}

  /**
   * Create a public link
   *
   * @remarks Creates a link with which anybody can read the rows of the view, without a key. It shows
   * the columns that are visible now. The response contains its URL, which is not returned again. An
   * earlier link of the view stops working. If the view filters or sorts by a removed column, or the
   * service needs the setting PUBLIC_URL and does not have it, the request returns 409.
   */
  @Post()
  @RequirePermission('links:write')
  @SecretInResponse('url')
  @ApiOneResponse(201, ViewLinkWithUrlDto)
  @ApiErrors('not_found', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ViewId() id: string,
    @JsonBody(CreateViewLinkDto) body: CreateViewLinkDto,
    @RequestOrigin() origin: string,
  ): Promise<ViewLinkWithUrlDto> {
    const { accountId } = caller;
    return this.links.create({ accountId, datagridId, id }, body, caller, origin);
  }

  /**
   * Get a public link
   *
   * @remarks Returns the public link of the view, without its URL. If the view has none, the request
   * returns 404.
   */
  @Get()
  @RequirePermission('links:read')
  @ApiOneResponse(200, ViewLinkDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @ViewId() id: string,
  ): Promise<ViewLinkDto> {
    return this.links.get({ accountId, datagridId, id });
  }

  /**
   * Delete a public link
   *
   * @remarks Revokes the public link of the view. It stops working at once.
   */
  @Delete()
  @RequirePermission('links:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ViewId() id: string,
  ): Promise<void> {
    return this.links.revoke({ accountId: caller.accountId, datagridId, id }, caller);
  }
}
