import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import {
  type ColumnPreview,
  ColumnPreviewService,
} from '../../datagrids/column/column-preview.service';
import { UpdateColumnDto } from '../../datagrids/column/dto/column.dto';

export type ColumnPreviewView = ColumnPreview;

/** Column operations of the console that are not part of the public API. */
@Injectable()
export class ConsoleColumnService {
  constructor(private readonly previews: ColumnPreviewService) {}

  /** @throws AppError `not_found`, `invalid_request` or `query_too_expensive` */
  async preview(
    { accountId }: Caller,
    datagridId: string,
    key: string,
    body: ColumnPreviewDto,
  ): Promise<ColumnPreviewView> {
    return this.previews.preview(accountId, datagridId, key, body);
  }
}

/** The change to preview: the body of the request that would change the column. */
export class ColumnPreviewDto extends UpdateColumnDto {}
