import { Delete, Get } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import {
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
  ApiErrors,
} from '../platform/http/api-responses';
import { DatagridId, ImportId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { ImportDto, ImportSummaryDto } from './dto/import.dto';
import { ImportJobService } from './import-job.service';

@PublicApiController('datagrids/:datagridId/imports')
export class ImportController {
  constructor(private readonly imports: ImportJobService) {}

  /**
   * List imports
   *
   * @remarks Returns one page of the datagrid's imports, newest first. The service keeps the report
   * of an import for 7 days after its end.
   */
  @Get()
  @RequirePermission('rows:read')
  @ApiPageResponse(ImportSummaryDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<ImportSummaryDto[]>> {
    return this.imports.list(caller.accountId, datagridId, page);
  }

  /**
   * Get an import
   *
   * @remarks Returns the report of an import: its state, the number of rows by outcome, and the
   * rejected lines. To follow a running import, repeat the request until `state` is no longer
   * `running`.
   */
  @Get(':importId')
  @RequirePermission('rows:read')
  @ApiOneResponse(200, ImportDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ImportId() id: string,
  ): Promise<ImportDto> {
    return this.imports.get(caller.accountId, datagridId, id);
  }

  /**
   * Cancel an import
   *
   * @remarks Cancels a running import after its current batch. Committed rows stay. If the import
   * already completed or failed, the request returns 409.
   */
  @Delete(':importId')
  @RequirePermission('rows:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  cancel(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ImportId() id: string,
  ): Promise<void> {
    return this.imports.cancel(caller.accountId, datagridId, id);
  }
}
