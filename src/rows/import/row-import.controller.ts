import { Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import type { LocatedItem } from '../../common/envelope/located-item';
import { RequirePermission } from '../../platform/http/access';
import { ApiOneOrAcceptedResponse, ApiErrors } from '../../platform/http/answers';
import { CurrentCaller } from '../../platform/http/current-caller';
import { PassesDatabaseGate } from '../../platform/http/database-place';
import { DatagridId } from '../../platform/http/path-id';
import { PublicApiController } from '../../platform/http/public-api';
import { OwnParameters } from '../../platform/http/query';
import { Streamed, type StreamedBody } from '../../platform/http/streamed-body';
import { OwnIdempotencyKey, type RequestKey } from '../../platform/idempotency/request-key';
import { ImportDto } from './dto/import.dto';
import { IMPORT_TYPES, ImportService } from './import.service';
import { IMPORT_PARAMETERS } from './request/import-parameters';

/** Rows that come as a file. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowImportController {
  constructor(private readonly imports: ImportService) {}

  /** Import rows from CSV or NDJSON of any length, plain or gzip. */
  @Post('import')
  @RequirePermission('rows:write')
  @PassesDatabaseGate()
  @ApiOneOrAcceptedResponse(ImportDto)
  @ApiErrors('not_found', 'conflict', 'request_timeout')
  import(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @OwnParameters(...IMPORT_PARAMETERS) query: Record<string, unknown>,
    @Streamed(...IMPORT_TYPES) body: StreamedBody,
    @OwnIdempotencyKey() key: RequestKey | null,
  ): Promise<LocatedItem> {
    return this.imports.start(caller, datagridId, query, body, key);
  }
}
