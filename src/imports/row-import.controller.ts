import { Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import { ApiOneOrAcceptedResponse, ApiErrors } from '../platform/http/api-responses';
import { DatagridId } from '../platform/http/path-id';
import { OwnParameters } from '../platform/http/query';
import { Streamed, type StreamedBody } from '../platform/http/streamed-body';
import { OwnIdempotencyKey, type RequestKey } from '../platform/idempotency/claim';
import { ImportDto } from './dto/import.dto';
import { ImportService } from './import.service';
import { IMPORT_PARAMETERS, IMPORT_TYPES } from './request/import-parameters';

/** Imports of rows from a file. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowImportController {
  constructor(private readonly imports: ImportService) {}

  /**
   * Import a file
   *
   * @remarks Writes the rows of a CSV or NDJSON file of any length, and returns the report of the
   * import. With `Content-Encoding: gzip`, the file is compressed. A client that cannot send the type
   * of the file sends `application/octet-stream` with `format`. If rows are still being written
   * 2 seconds after the end of the file, the response is 202 and the import continues. An import of
   * up to 5,000 rows and about 16 MB (1 MB if the datagrid has link columns) is all or nothing. A longer one is written in several batches,
   * and committed batches stay if a later one fails.
   */
  @Post('import')
  @RequirePermission('rows:write')
  @EnterGateInService()
  @ApiOneOrAcceptedResponse(ImportDto)
  @ApiErrors('not_found', 'conflict', 'request_timeout')
  import(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @OwnParameters(...IMPORT_PARAMETERS) query: Record<string, unknown>,
    @Streamed(...IMPORT_TYPES) body: StreamedBody,
    @OwnIdempotencyKey() key: RequestKey | null,
  ): Promise<JsonResponse> {
    return this.imports.start(caller, datagridId, query, body, key);
  }
}
