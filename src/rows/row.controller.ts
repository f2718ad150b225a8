import { Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '../common/caller/caller';
import type { IfMatch } from '../common/conditional/if-match';
import type { IfNoneMatch } from '../common/conditional/if-none-match';
import type { CursorPage } from '../common/envelope/cursor-page';
import type { JsonItem } from '../common/envelope/json-item';
import type { JsonPage } from '../common/envelope/json-page';
import type { NotModified } from '../common/envelope/not-modified';
import type { WriteResponse } from '../common/envelope/write-response';
import { RequirePermission } from '../platform/http/access';
import {
  ApiNoContent,
  ApiOneResponse,
  ApiOneOrManyResponse,
  ApiPageOrCursorResponse,
  ApiErrors,
} from '../platform/http/answers';
import { PassesDatabaseGate } from '../platform/http/database-place';
import { IfNoneMatchHeader, IfMatchHeader } from '../platform/http/conditions';
import { CurrentCaller } from '../platform/http/current-caller';
import { UnvalidatedBody } from '../platform/http/json-body';
import { AllowStale } from '../platform/http/allow-stale';
import { DatagridId, RowId } from '../platform/http/path-id';
import { PublicApiController } from '../platform/http/public-api';
import { QueryParameters } from '../platform/http/query';
import { ReservedResponse, WritePreferences } from '../platform/http/write-preferences';
import { RowBodiesDto, RowBodyDto } from './dto/row-body.dto';
import { RowQueryDto } from './dto/row-query.dto';
import { MinimalRowDto, RowDto } from './dto/row.dto';
import { ROW_QUERY_PARAMETERS } from './find/row-query-parameters';
import { RowReadService } from './read/row-read.service';
import { RowWriteService } from './write/row-write.service';

/** `records` is another name for `rows`, everywhere. */
@ApiExtraModels(RowBodyDto, RowBodiesDto)
@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowController {
  constructor(
    private readonly reads: RowReadService,
    private readonly writes: RowWriteService,
  ) {}

  /** List a datagrid's rows, in the order of their ids or another; all, or those that match. */
  @Get()
  @RequirePermission('rows:read')
  @AllowStale()
  @PassesDatabaseGate()
  @ApiPageOrCursorResponse(RowDto)
  @ApiErrors('not_found', 'query_too_expensive')
  list(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @QueryParameters(...ROW_QUERY_PARAMETERS) query: Record<string, unknown>,
    @IfNoneMatchHeader() knownTags: IfNoneMatch | undefined,
  ): Promise<JsonPage | CursorPage | NotModified> {
    return this.reads.list(caller.accountId, datagridId, query, knownTags);
  }

  /** Ask for rows as the list does, with a query too long for a URL. */
  @Post('query')
  @RequirePermission('rows:read')
  @AllowStale()
  @PassesDatabaseGate()
  @ApiBody({ type: RowQueryDto })
  @ApiPageOrCursorResponse(RowDto)
  @ApiErrors('not_found', 'query_too_expensive')
  query(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
  ): Promise<JsonPage | CursorPage> {
    return this.reads.query(caller.accountId, datagridId, body);
  }

  /** Create one row, or up to 1,000 at once, all or none. */
  @Post()
  @RequirePermission('rows:write')
  @PassesDatabaseGate()
  @ApiBody({
    schema: { oneOf: [{ $ref: getSchemaPath(RowBodyDto) }, { $ref: getSchemaPath(RowBodiesDto) }] },
  })
  @ApiOneOrManyResponse(RowDto, MinimalRowDto)
  @ApiErrors('not_found', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @UnvalidatedBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonItem | JsonPage> {
    return this.writes.create(caller.accountId, datagridId, body, response);
  }

  /** Read one row. */
  @Get(':rowId')
  @RequirePermission('rows:read')
  @AllowStale()
  @ApiOneResponse(200, RowDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
  ): Promise<JsonItem> {
    return this.reads.get(caller.accountId, datagridId, rowId);
  }

  /** Change some values of a row; `null` clears one. */
  @Patch(':rowId')
  @RequirePermission('rows:write')
  @ApiBody({ type: RowBodyDto })
  @ApiOneResponse(200, RowDto)
  @ApiErrors('not_found', 'conflict')
  merge(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @UnvalidatedBody() body: unknown,
    @IfMatchHeader() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonItem> {
    return this.writes.merge(caller.accountId, datagridId, rowId, body, ifMatch, response);
  }

  /** Replace all values of a row. */
  @Put(':rowId')
  @RequirePermission('rows:write')
  @ApiBody({ type: RowBodyDto })
  @ApiOneResponse(200, RowDto)
  @ApiErrors('not_found', 'conflict')
  replace(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @UnvalidatedBody() body: unknown,
    @IfMatchHeader() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonItem> {
    return this.writes.replace(caller.accountId, datagridId, rowId, body, ifMatch, response);
  }

  /** Delete one row. */
  @Delete(':rowId')
  @RequirePermission('rows:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.writes.delete(caller.accountId, datagridId, rowId, ifMatch);
  }
}
