import { Post, Put } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import type { WriteResponse } from '../common/envelope/write-response';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import { ApiErrors, ApiOneResponse, ApiResultsResponse } from '../platform/http/api-responses';
import { UnvalidatedBody } from '../platform/http/json-body';
import { DatagridId } from '../platform/http/path-id';
import { WritePreferences } from '../platform/http/write-preferences';
import { BatchService } from './batch/batch.service';
import { DeleteManyService } from './delete-many/delete-many.service';
import {
  BatchDto,
  BatchResultDto,
  DeleteRowsResultDto,
  DeleteRowsDto,
  UpsertDto,
  UpsertResultDto,
} from './dto/batch.dto';

/** Operations on many rows. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowSetController {
  constructor(
    private readonly batches: BatchService,
    private readonly deletes: DeleteManyService,
  ) {}

  /**
   * Upsert rows
   *
   * @remarks Updates the rows whose values are equal in all `matchOn` columns, and creates the
   * others: up to 1,000 rows, all or none. If a row matches only in some of these columns, or if
   * different rows match, the request returns 409.
   */
  @Put()
  @RequirePermission('rows:write')
  @ApiBody({ type: UpsertDto })
  @ApiResultsResponse(UpsertResultDto)
  @ApiErrors('not_found', 'conflict')
  upsert(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonResponse> {
    return this.batches.upsert(caller, datagridId, body, response);
  }

  /**
   * Run a batch
   *
   * @remarks Runs up to 1,000 operations in order. In `atomic` mode, the first error is the
   * response and nothing changes. In `partial` mode, each operation succeeds or fails by itself,
   * and the request returns 200 with the result of each operation.
   */
  @Post('batch')
  @RequirePermission('rows:write')
  @ApiBody({ type: BatchDto })
  @ApiResultsResponse(BatchResultDto)
  @ApiErrors('not_found', 'conflict', 'precondition_failed')
  batch(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonResponse> {
    return this.batches.batch(caller, datagridId, body, response);
  }

  /**
   * Delete rows by filter
   *
   * @remarks Deletes all rows that match the filter, or none. Use `dryRun` to count them first, and
   * `maxAffected` to limit their number: if more rows match, the request returns 409 and deletes
   * none. Deleted rows go to the trash.
   */
  @Post('delete')
  @RequirePermission('rows:write')
  @ApiBody({ type: DeleteRowsDto })
  @ApiOneResponse(200, DeleteRowsResultDto)
  @ApiErrors('not_found', 'conflict', 'query_too_expensive')
  deleteMatching(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
  ): Promise<DeleteRowsResultDto> {
    return this.deletes.delete(caller, datagridId, body);
  }
}
