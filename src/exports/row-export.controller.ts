import { Get } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import { ApiFileResponse, ApiErrors } from '../platform/http/api-responses';
import { DatagridId } from '../platform/http/path-id';
import { OwnParameters } from '../platform/http/query';
import type { StreamedResponse } from '../platform/http/streamed-response';
import { EXPORT_PARAMETERS } from './export-request';
import { ExportService } from './export.service';

/** Exports of rows as a file. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowExportController {
  constructor(private readonly exports: ExportService) {}

  /**
   * Export rows
   *
   * @remarks Returns all rows, or those that match, as one CSV or NDJSON file of any length. All
   * rows are from the same snapshot. If the export fails after it started, the service closes the
   * connection: discard the file unless it ends with the trailer `Export-Status: complete` or, for a
   * client that cannot read trailers, with the line of `endLine`.
   */
  @Get('export')
  @RequirePermission('rows:read')
  @EnterGateInService()
  @ApiFileResponse('application/x-ndjson', 'text/csv')
  @ApiErrors('not_found')
  export(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @OwnParameters(...EXPORT_PARAMETERS) query: Record<string, unknown>,
  ): Promise<StreamedResponse> {
    return this.exports.export(caller, datagridId, query);
  }
}
