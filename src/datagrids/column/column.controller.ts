import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import type { IfMatch } from '../../common/conditional/if-match';
import type { Item } from '../../common/envelope/item';
import { RequirePermission } from '../../platform/http/access';
import { ApiNoContent, ApiOneResponse, ApiErrors } from '../../platform/http/answers';
import { IfMatchHeader } from '../../platform/http/conditions';
import { CurrentCaller } from '../../platform/http/current-caller';
import { JsonBody } from '../../platform/http/json-body';
import { DatagridId } from '../../platform/http/path-id';
import { PublicApiController } from '../../platform/http/public-api';
import { ColumnKey } from './column-key';
import { ColumnService } from './column.service';
import { ColumnDto } from './dto/column.dto';
import { CreateColumnDto } from './dto/create-column.dto';
import { UpdateColumnDto } from './dto/update-column.dto';

@PublicApiController('datagrids/:datagridId/columns')
export class ColumnController {
  constructor(private readonly columns: ColumnService) {}

  /** Add a column, the last in order. */
  @Post()
  @RequirePermission('datagrids:write')
  @ApiOneResponse(201, ColumnDto)
  @ApiErrors('not_found', 'conflict')
  add(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(CreateColumnDto) body: CreateColumnDto,
  ): Promise<Item<ColumnDto>> {
    return this.columns.add(caller.accountId, datagridId, body);
  }

  /** Read one column. */
  @Get(':key')
  @RequirePermission('datagrids:read')
  @ApiOneResponse(200, ColumnDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @ColumnKey() key: string,
  ): Promise<Item<ColumnDto>> {
    return this.columns.get(caller.accountId, datagridId, key);
  }

  /** Change a column. Fails if rows conflict with the change. Values are never converted. */
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
  ): Promise<Item<ColumnDto>> {
    return this.columns.update(caller.accountId, datagridId, key, body, ifMatch);
  }

  /** Remove a column and its values; they never come back with a new column of that key. */
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
    return this.columns.remove(caller.accountId, datagridId, key, ifMatch, caller);
  }
}
