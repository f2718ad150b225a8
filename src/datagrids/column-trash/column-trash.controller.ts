import { Get, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import type { PageRequest } from '../../common/paging/page-request';
import { CurrentCaller, RequirePermission } from '../../platform/http/access';
import { PublicApiController } from '../../platform/routes/api-controller';
import { ApiErrors, ApiOneResponse, ApiPageResponse } from '../../platform/http/api-responses';
import { JsonBody } from '../../platform/http/json-body';
import { DatagridId } from '../../platform/http/path-id';
import { Paging } from '../../platform/http/query';
import { ColumnDto } from '../column/dto/column.dto';
import { ColumnTrashService } from './column-trash.service';
import { DeletedColumnDto, RestoreColumnDto } from './dto/column-trash.dto';

/** Deleted columns of a datagrid. */
@PublicApiController('datagrids/:datagridId/trash/columns')
export class ColumnTrashController {
  constructor(private readonly trash: ColumnTrashService) {}

  /**
   * List deleted columns
   *
   * @remarks Returns one page of the deleted columns that you can restore, most recently deleted
   * first. Deleted columns are kept for 7 days by default.
   */
  @Get()
  @RequirePermission('datagrids:read')
  @ApiPageResponse(DeletedColumnDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<DeletedColumnDto[]>> {
    return this.trash.list(accountId, datagridId, page);
  }

  /**
   * Restore a deleted column
   *
   * @remarks Restores a deleted column with the values that rows still have in it, and returns it. If
   * another column has the key, or if rows conflict with `required` or `unique`, the request returns
   * 409.
   */
  @Post('restore')
  @RequirePermission('datagrids:write')
  @ApiOneResponse(200, ColumnDto)
  @ApiErrors('not_found', 'conflict')
  restore(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(RestoreColumnDto) body: RestoreColumnDto,
  ): Promise<JsonResponse<ColumnDto>> {
    return this.trash.restore(caller, datagridId, body);
  }
}
