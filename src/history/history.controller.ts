import { Get, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { WriteResponse } from '../common/envelope/write-response';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import { ApiCursorResponse, ApiErrors, ApiOneResponse } from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { DatagridId, RowId } from '../platform/http/path-id';
import { OwnParameters } from '../platform/http/query';
import { ReservedResponse } from '../platform/http/write-preferences';
import { RESTORED_ROW, RestoreRowDto, RowHistoryEntryDto } from './dto/history.dto';
import { positionParameters } from './position-cursor';
import { RowHistoryService } from './row-history.service';
import { RowRestoreService } from './row-restore.service';

/** Earlier versions of rows. */
@PublicApiController('datagrids/:datagridId/rows/:rowId', 'datagrids/:datagridId/records/:rowId')
export class RowHistoryController {
  constructor(
    private readonly histories: RowHistoryService,
    private readonly restorations: RowRestoreService,
  ) {}

  /**
   * List the history of a row
   *
   * @remarks Returns the writes of the row, newest first, with the values of the row after each. The
   * row can have been deleted. Earlier versions are stored only while `history` of the datagrid is
   * on, and are kept for 90 days by default.
   */
  @Get('history')
  @RequirePermission('rows:read')
  @ApiCursorResponse(RowHistoryEntryDto)
  @ApiErrors('not_found')
  history(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @OwnParameters(...positionParameters('entries')) query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.histories.list({ accountId, datagridId, rowId }, query);
  }

  /**
   * Restore a row
   *
   * @remarks Replaces the values of the row with those of an earlier version, or creates a deleted
   * row again, with its ID. Values of columns that were removed since are not restored. If the values
   * do not fit the columns, or if a value of a unique column is already in use, the request returns
   * 409.
   */
  @Post('restore')
  @RequirePermission('rows:write')
  @ApiOneResponse(200, RESTORED_ROW)
  @ApiErrors('not_found', 'conflict')
  restore(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @JsonBody(RestoreRowDto) { revision }: RestoreRowDto,
    @IfMatchHeader() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonResponse> {
    return this.restorations.restore(caller, datagridId, rowId, revision, ifMatch, response);
  }
}
