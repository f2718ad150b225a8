import { Post, Put } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Caller } from '../common/caller/caller';
import type { JsonItem } from '../common/envelope/json-item';
import type { WriteResponse } from '../common/envelope/write-response';
import { RequirePermission } from '../platform/http/access';
import { ApiOneResponse, ApiErrors } from '../platform/http/answers';
import { CurrentCaller } from '../platform/http/current-caller';
import { UnvalidatedBody } from '../platform/http/json-body';
import { DatagridId } from '../platform/http/path-id';
import { PublicApiController } from '../platform/http/public-api';
import { WritePreferences } from '../platform/http/write-preferences';
import { BatchService } from './batch/batch.service';
import { DeleteManyService } from './delete-many/delete-many.service';
import { BatchResultDto, UpsertResultDto } from './dto/batch-result.dto';
import { BatchDto, UpsertDto } from './dto/batch.dto';
import { DeleteManyDto, DeletedDto } from './dto/delete-many.dto';

/** Many rows at once. */
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowSetController {
  constructor(
    private readonly batches: BatchService,
    private readonly deletes: DeleteManyService,
  ) {}

  /** Change the rows that are known by unique columns and create the others, all or none. */
  @Put()
  @RequirePermission('rows:write')
  @ApiBody({ type: UpsertDto })
  @ApiOneResponse(200, UpsertResultDto)
  @ApiErrors('not_found', 'conflict')
  upsert(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonItem> {
    return this.batches.upsert(caller, datagridId, body, response);
  }

  /** Carry out up to 1,000 operations in order, all or none or each for itself. */
  @Post('batch')
  @RequirePermission('rows:write')
  @ApiBody({ type: BatchDto })
  @ApiOneResponse(200, BatchResultDto)
  @ApiErrors('not_found', 'conflict', 'precondition_failed')
  batch(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonItem> {
    return this.batches.batch(caller, datagridId, body, response);
  }

  /** Delete all rows that a filter matches. */
  @Post('delete')
  @RequirePermission('rows:write')
  @ApiBody({ type: DeleteManyDto })
  @ApiOneResponse(200, DeletedDto)
  @ApiErrors('not_found', 'conflict', 'query_too_expensive')
  deleteMatching(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
  ): Promise<DeletedDto> {
    return this.deletes.delete(caller, datagridId, body);
  }
}
