import { Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch, IfNoneMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { WriteResponse } from '../common/envelope/write-response';
import {
  CurrentCaller,
  IfMatchHeader,
  IfNoneMatchHeader,
  RequirePermission,
} from '../platform/http/access';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import {
  ApiNoContent,
  ApiOneLinkedResponse,
  ApiOneResponse,
  ApiOneOrManyResponse,
  ApiPageOrCursorResponse,
  ApiErrors,
} from '../platform/http/api-responses';
import { UnvalidatedBody } from '../platform/http/json-body';
import { AllowStale } from '../platform/http/allow-stale';
import { DatagridId, RowId } from '../platform/http/path-id';
import { OwnParameters, QueryParameters } from '../platform/http/query';
import { ReservedResponse, WritePreferences } from '../platform/http/write-preferences';
import { CreatedRowDto, RowListInputDto, RowInputDto, RowDto } from './dto/row.dto';
import { RowQueryDto } from './dto/row-query.dto';
import { EXPAND_PARAMETER, ROW_QUERY_PARAMETERS } from './query/row-query';
import { RowReadService } from './row-read.service';
import { RowWriteService } from './row-write.service';

/** `records` is an alias of `rows` in every path. */
@ApiExtraModels(RowInputDto, RowListInputDto)
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowController {
  constructor(
    private readonly reads: RowReadService,
    private readonly writes: RowWriteService,
  ) {}

  /**
   * List rows
   *
   * @remarks Returns one page of rows, ordered by ID unless you send `sort`. `filter` and `q`
   * select rows, and `fields` selects columns. To read many rows of a query, use `cursor` in
   * place of `page`: the service then does not count the rows that match. A query that costs too much or
   * takes too long returns 400 with the code `query_too_expensive`.
   */
  @Get()
  @RequirePermission('rows:read')
  @AllowStale()
  @EnterGateInService()
  @ApiPageOrCursorResponse(RowDto)
  @ApiErrors('not_found', 'query_too_expensive')
  list(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @QueryParameters(...ROW_QUERY_PARAMETERS, EXPAND_PARAMETER) query: Record<string, unknown>,
    @IfNoneMatchHeader() ifNoneMatch: IfNoneMatch | undefined,
  ): Promise<JsonResponse> {
    return this.reads.list(caller, datagridId, query, ifNoneMatch);
  }

  /**
   * Query rows
   *
   * @remarks Returns the same response as the list of rows, for a query in the body. Use it if the
   * query is too long for a URL.
   */
  @Post('query')
  @RequirePermission('rows:read')
  @AllowStale()
  @EnterGateInService()
  @ApiBody({ type: RowQueryDto })
  @ApiPageOrCursorResponse(RowDto)
  @ApiErrors('not_found', 'query_too_expensive')
  query(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
  ): Promise<JsonResponse> {
    return this.reads.query(caller, datagridId, body);
  }

  /**
   * Create rows
   *
   * @remarks Creates one row (`values`), or up to 1,000 rows (`rows`), all or none. If a value of a
   * unique column is already in use, the request returns 409.
   */
  @Post()
  @RequirePermission('rows:write')
  @EnterGateInService()
  @ApiBody({
    schema: {
      oneOf: [{ $ref: getSchemaPath(RowInputDto) }, { $ref: getSchemaPath(RowListInputDto) }],
    },
  })
  @ApiOneOrManyResponse(CreatedRowDto)
  @ApiErrors('not_found', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonResponse> {
    return this.writes.create(caller, datagridId, body, response);
  }

  /**
   * Get a row
   *
   * @remarks Returns one row with its values, its revision, and the times of its changes. With
   * `expand`, `meta.linked` has the rows that it links to.
   */
  @Get(':rowId')
  @RequirePermission('rows:read')
  @AllowStale()
  @EnterGateInService()
  @ApiOneLinkedResponse(RowDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @OwnParameters(EXPAND_PARAMETER) query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.reads.get(caller, datagridId, rowId, query);
  }

  /**
   * Update a row
   *
   * @remarks Changes the values that you send and keeps the others. `null` clears a value. If a
   * value of a unique column is already in use, the request returns 409.
   */
  @Patch(':rowId')
  @RequirePermission('rows:write')
  @ApiBody({ type: RowInputDto })
  @ApiOneResponse(200, RowDto)
  @ApiErrors('not_found', 'conflict')
  merge(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @UnvalidatedBody() body: unknown,
    @IfMatchHeader() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonResponse> {
    return this.writes.merge(caller, datagridId, rowId, body, ifMatch, response);
  }

  /**
   * Replace a row
   *
   * @remarks Replaces all values of the row. Values that you do not send are cleared. If a value of
   * a unique column is already in use, the request returns 409.
   */
  @Put(':rowId')
  @RequirePermission('rows:write')
  @ApiBody({ type: RowInputDto })
  @ApiOneResponse(200, RowDto)
  @ApiErrors('not_found', 'conflict')
  replace(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @UnvalidatedBody() body: unknown,
    @IfMatchHeader() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonResponse> {
    return this.writes.replace(caller, datagridId, rowId, body, ifMatch, response);
  }

  /**
   * Delete a row
   *
   * @remarks Moves the row to the trash of its datagrid, from which it can be restored for 7 days.
   * If rows link to the row, `onDelete` of their columns decides: with `restrict`, the request returns
   * 409.
   */
  @Delete(':rowId')
  @RequirePermission('rows:write')
  @ApiNoContent()
  @ApiErrors('not_found', 'conflict')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.writes.delete(caller, datagridId, rowId, ifMatch);
  }
}
