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
import { Requires } from '../platform/http/access';
import {
  AnswersNothing,
  AnswersOne,
  AnswersOneOrMany,
  AnswersPageOrWalk,
  Fails,
} from '../platform/http/answers';
import { PassesDatabaseGate } from '../platform/http/database-place';
import { KnownTags, OnlyIf } from '../platform/http/conditions';
import { CurrentCaller } from '../platform/http/current-caller';
import { AnyBody } from '../platform/http/json-body';
import { MayBeStale } from '../platform/http/may-be-stale';
import { DatagridId, RowId } from '../platform/http/path-id';
import { PublicApiController } from '../platform/http/public-api';
import { QueryParameters } from '../platform/http/query';
import { ReservedResponse, WritePreferences } from '../platform/http/write-preferences';
import { RowBodiesDto, RowBodyDto } from './dto/row-body.dto';
import { RowQueryDto } from './dto/row-query.dto';
import { MinimalRowDto, RowDto } from './dto/row.dto';
import { QUESTION_PARAMETERS } from './find/question-parameters';
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
  @Requires('rows:read')
  @MayBeStale()
  @PassesDatabaseGate()
  @AnswersPageOrWalk(RowDto)
  @Fails('not_found', 'query_too_expensive')
  list(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @QueryParameters(...QUESTION_PARAMETERS) query: Record<string, unknown>,
    @KnownTags() knownTags: IfNoneMatch | undefined,
  ): Promise<JsonPage | CursorPage | NotModified> {
    return this.reads.list(caller.accountId, datagridId, query, knownTags);
  }

  /** Ask for rows as the list does, with a question too long for a URL. */
  @Post('query')
  @Requires('rows:read')
  @MayBeStale()
  @PassesDatabaseGate()
  @ApiBody({ type: RowQueryDto })
  @AnswersPageOrWalk(RowDto)
  @Fails('not_found', 'query_too_expensive')
  query(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @AnyBody() body: unknown,
  ): Promise<JsonPage | CursorPage> {
    return this.reads.query(caller.accountId, datagridId, body);
  }

  /** Create one row, or up to 1,000 at once, all or none. */
  @Post()
  @Requires('rows:write')
  @PassesDatabaseGate()
  @ApiBody({
    schema: { oneOf: [{ $ref: getSchemaPath(RowBodyDto) }, { $ref: getSchemaPath(RowBodiesDto) }] },
  })
  @AnswersOneOrMany(RowDto, MinimalRowDto)
  @Fails('not_found', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @AnyBody() body: unknown,
    @WritePreferences() response: WriteResponse,
  ): Promise<JsonItem | JsonPage> {
    return this.writes.create(caller.accountId, datagridId, body, response);
  }

  /** Read one row. */
  @Get(':rowId')
  @Requires('rows:read')
  @MayBeStale()
  @AnswersOne(200, RowDto)
  @Fails('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
  ): Promise<JsonItem> {
    return this.reads.get(caller.accountId, datagridId, rowId);
  }

  /** Change some values of a row; `null` clears one. */
  @Patch(':rowId')
  @Requires('rows:write')
  @ApiBody({ type: RowBodyDto })
  @AnswersOne(200, RowDto)
  @Fails('not_found', 'conflict')
  merge(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @AnyBody() body: unknown,
    @OnlyIf() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonItem> {
    return this.writes.merge(caller.accountId, datagridId, rowId, body, ifMatch, response);
  }

  /** Replace all values of a row. */
  @Put(':rowId')
  @Requires('rows:write')
  @ApiBody({ type: RowBodyDto })
  @AnswersOne(200, RowDto)
  @Fails('not_found', 'conflict')
  replace(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @AnyBody() body: unknown,
    @OnlyIf() ifMatch: IfMatch,
    @ReservedResponse() response: WriteResponse,
  ): Promise<JsonItem> {
    return this.writes.replace(caller.accountId, datagridId, rowId, body, ifMatch, response);
  }

  /** Delete one row. */
  @Delete(':rowId')
  @Requires('rows:write')
  @AnswersNothing()
  @Fails('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @RowId() rowId: number,
    @OnlyIf() ifMatch: IfMatch,
  ): Promise<void> {
    return this.writes.delete(caller.accountId, datagridId, rowId, ifMatch);
  }
}
