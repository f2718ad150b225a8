import { Delete, Get } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import type { Page } from '../../common/envelope/page';
import type { PageRequest } from '../../common/paging/page-request';
import { RequirePermission } from '../../platform/http/access';
import {
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
  ApiErrors,
} from '../../platform/http/answers';
import { CurrentCaller } from '../../platform/http/current-caller';
import { DatagridId, ImportId } from '../../platform/http/path-id';
import { PublicApiController } from '../../platform/http/public-api';
import { Paging } from '../../platform/http/query';
import { ImportDto, ImportSummaryDto } from './dto/import.dto';
import { ImportJobService } from './import-job.service';

@PublicApiController('datagrids/:datagridId/imports')
export class ImportController {
  constructor(private readonly imports: ImportJobService) {}

  /** List a datagrid's imports of the last days, the last started first. */
  @Get()
  @RequirePermission('rows:read')
  @ApiPageResponse(ImportSummaryDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @Paging() page: PageRequest,
  ): Promise<Page<ImportSummaryDto>> {
    return this.imports.list(caller.accountId, datagridId, page);
  }

  /** Read an import: how far it is, what it has refused, and how it has ended. */
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

  /** Cancel a running import; what it has committed stays. */
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
