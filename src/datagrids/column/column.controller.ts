import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { IfMatch } from '../../common/conditional/if-match';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../../platform/http/access';
import { PublicApiController } from '../../platform/routes/api-controller';
import { ApiNoContent, ApiOneResponse, ApiErrors } from '../../platform/http/api-responses';
import { JsonBody } from '../../platform/http/json-body';
import { IgnoreIdempotencyKey } from '../../platform/idempotency/claim';
import { DatagridId } from '../../platform/http/path-id';
import { ColumnKey } from './dto/column-key';
import { ColumnDto, CreateColumnDto, UpdateColumnDto } from './dto/column.dto';
import { ColumnPreviewDto, ColumnPreviewRequestDto } from './dto/column-preview.dto';
import { type ColumnPreview, ColumnPreviewService } from './column-preview.service';
import { ColumnService } from './column.service';

@PublicApiController('datagrids/:datagridId/columns')
export class ColumnController {
  constructor(
    private readonly columns: ColumnService,
    private readonly previews: ColumnPreviewService,
  ) {}

  /**
   * Add a column
   *
   * @remarks Adds a column after the existing ones. If another column has the key, or if a
   * `required` column is added to a datagrid that has rows, the request returns 409. If the
   * datagrid has rows, an index of the column is built in the background.
   */
  @Post()
  @RequirePermission('datagrids:write')
  @ApiOneResponse(201, ColumnDto)
  @ApiErrors('not_found', 'conflict')
  add(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(CreateColumnDto) body: CreateColumnDto,
  ): Promise<JsonResponse<ColumnDto>> {
    return this.columns.add(caller, datagridId, body);
  }

  /**
   * Get a column
   *
   * @remarks Returns one column. To read all columns, get the datagrid.
   */
  @Get(':key')
  @RequirePermission('datagrids:read')
  @ApiOneResponse(200, ColumnDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ColumnKey() key: string,
  ): Promise<JsonResponse<ColumnDto>> {
    return this.columns.get(caller.accountId, datagridId, key);
  }

  /**
   * Update a column
   *
   * @remarks Changes the properties that you send and keeps the others. The service checks stored
   * values against the change. If rows conflict with it, the request returns 409 with their number,
   * and nothing changes. With `convert`, the service converts the values to a new type or new
   * choices, and clears those that do not convert.
   */
  @Patch(':key')
  @RequirePermission('datagrids:write')
  @ApiOneResponse(200, ColumnDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ColumnKey() key: string,
    @JsonBody(UpdateColumnDto) body: UpdateColumnDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<ColumnDto>> {
    return this.columns.update(caller, datagridId, key, body, ifMatch);
  }

  /**
   * Preview a change of a column
   *
   * @remarks Returns the effect of the change in the body: the rows that conflict with it or, with
   * `convert`, the values that convert and those that would be cleared. Nothing is changed, and
   * writes are not delayed. The change itself checks the rows again. An `Idempotency-Key` has no effect.
   */
  @Post(':key/preview')
  @RequirePermission('datagrids:write')
  @IgnoreIdempotencyKey()
  @ApiOneResponse(200, ColumnPreviewDto)
  @ApiErrors('not_found', 'conflict', 'query_too_expensive')
  preview(
    @CurrentCaller() { accountId }: Caller,
    @DatagridId() datagridId: string,
    @ColumnKey() key: string,
    @JsonBody(ColumnPreviewRequestDto) body: ColumnPreviewRequestDto,
  ): Promise<ColumnPreview> {
    return this.previews.preview(accountId, datagridId, key, body);
  }

  /**
   * Delete a column
   *
   * @remarks Deletes the column and its values at once, and moves it to the trash, from which you can
   * restore it for 7 days by default. A new column with the same key starts without values.
   */
  @Delete(':key')
  @RequirePermission('datagrids:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  remove(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ColumnKey() key: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.columns.remove(caller, datagridId, key, ifMatch);
  }
}
