import { HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import { RequireSession } from '../../platform/http/access';
import { CurrentCaller } from '../../platform/http/current-caller';
import { JsonBody } from '../../platform/http/json-body';
import { ConsoleController } from '../console-controller';
import { ColumnKey, Id } from '../path-parameters';
import { ColumnPreviewDto } from './column-preview.dto';
import { ConsoleColumnService, type ColumnPreviewView } from './console-column.service';

@ConsoleController('datagrids/:id/columns/:key')
export class ColumnPreviewController {
  constructor(private readonly columns: ConsoleColumnService) {}

  /** For whoever may make the change. */
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
