import { Get, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import { ApiCursorResponse, ApiErrors, ApiOneResponse } from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { DatagridId } from '../platform/http/path-id';
import { OwnParameters } from '../platform/http/query';
import { positionParameters } from './position-cursor';
import { DeletedRowDto, RestoreRowsDto, RestoreRowsResultDto } from './dto/row-trash.dto';
import { RowTrashService } from './row-trash.service';

/** Deleted rows of a datagrid. */
@PublicApiController('datagrids/:datagridId/trash/rows', 'datagrids/:datagridId/trash/records')
export class RowTrashController {
  constructor(private readonly trash: RowTrashService) {}

  /**
   * List deleted rows
   *
   * @remarks Returns the deleted rows that you can restore, most recently deleted first, with
   * their values. Deleted rows are kept for 7 days by default.
   */
  @Get()
  @RequirePermission('rows:read')
  @ApiCursorResponse(DeletedRowDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @OwnParameters(...positionParameters('rows')) query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.trash.list(accountId, datagridId, query);
  }

  /**
   * Restore deleted rows
   *
   * @remarks Creates up to 10,000 deleted rows again, all or none, with their IDs and `createdAt`.
   * Values of columns that were removed since are not restored. If a row is not in the trash, if its
   * values do not fit the columns, or if a value of a unique column is already in use, the request
   * returns 409.
   */
  @Post('restore')
  @RequirePermission('rows:write')
  @ApiOneResponse(200, RestoreRowsResultDto)
  @ApiErrors('not_found', 'conflict', 'quota_exceeded')
  restoreMany(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(RestoreRowsDto) { ids }: RestoreRowsDto,
  ): Promise<RestoreRowsResultDto> {
    return this.trash.restore(caller, datagridId, ids);
  }
}
