import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import {
  ColumnPreviewService,
  type ColumnPreview,
} from '../../datagrids/column/column-preview.service';
import type { ColumnPreviewDto } from './column-preview.dto';

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
