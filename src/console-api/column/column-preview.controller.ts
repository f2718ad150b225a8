import { HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import { CurrentCaller, RequireSession } from '../../platform/http/access';
import { JsonBody } from '../../platform/http/json-body';
import { ColumnKey, ConsoleController, Id } from '../path-parameters';
import {
  ColumnPreviewDto,
  type ColumnPreviewView,
  ConsoleColumnService,
} from './console-column.service';

@ConsoleController('datagrids/:id/columns/:key')
export class ColumnPreviewController {
  constructor(private readonly columns: ConsoleColumnService) {}

  /** Previews a change of a column. Requires the permission that the change itself requires. */
  @Post('preview')
  @RequireSession('datagrids:write')
  @HttpCode(200)
  preview(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @ColumnKey() key: string,
    @JsonBody(ColumnPreviewDto) body: ColumnPreviewDto,
  ): Promise<ColumnPreviewView> {
    return this.columns.preview(caller, id, key, body);
  }
}
