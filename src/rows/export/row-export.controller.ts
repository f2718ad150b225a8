import { Get } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import { RequirePermission } from '../../platform/http/access';
import { ApiFileResponse, ApiErrors } from '../../platform/http/answers';
import { CurrentCaller } from '../../platform/http/current-caller';
import { DatagridId } from '../../platform/http/path-id';
import { PublicApiController } from '../../platform/http/public-api';
import { PassesDatabaseGate } from '../../platform/http/database-place';
import { OwnParameters } from '../../platform/http/query';
import type { StreamedAnswer } from '../../platform/http/streamed-answer';
import { EXPORT_PARAMETERS } from './export-parameters';
import { ExportService } from './export.service';

/** Rows that go out as a file. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowExportController {
  constructor(private readonly exports: ExportService) {}

  /** Export rows as one file, CSV or NDJSON of any length, of one moment; all, or those that match. */
  @Get('export')
  @RequirePermission('rows:read')
  @PassesDatabaseGate()
  @ApiFileResponse('text/csv', 'application/x-ndjson')
  @ApiErrors('not_found')
  export(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @OwnParameters(...EXPORT_PARAMETERS) query: Record<string, unknown>,
  ): Promise<StreamedAnswer> {
    return this.exports.export(caller, datagridId, query);
  }
}
