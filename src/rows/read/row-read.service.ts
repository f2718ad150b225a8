import { Injectable } from '@nestjs/common';
import { JsonItem } from '../../common/envelope/json-item';
import { JsonPage } from '../../common/envelope/json-page';
import { notFound } from '../../common/error/app-error';
import type { PageRequest } from '../../common/paging/page-request';
import { RowReadRepository, type RowText } from './row-read.repository';

/** Reads rows of one account's datagrids, as text that PostgreSQL has printed. */
@Injectable()
export class RowReadService {
  constructor(private readonly repository: RowReadRepository) {}

  /** A page in the order of row ids. @throws AppError `not_found` */
  async list(accountId: string, datagridId: string, request: PageRequest): Promise<JsonPage> {
    const page = await this.repository.findPage(accountId, datagridId, request);
    if (!page) throw notFound();
    return new JsonPage(page.json, page.count, page.total, request, etagOf(page));
  }

  /** @throws AppError `not_found` */
  async get(accountId: string, datagridId: string, rowId: number): Promise<JsonItem> {
    const row = await this.repository.findOne(accountId, datagridId, rowId);
    if (!row) throw notFound();
    return new JsonItem(row.json, etagOf(row));
  }
}

/** What is printed depends on the last write and on the columns. */
function etagOf({ revision, schemaVersion }: RowText): string {
  return `"${String(revision)}-${String(schemaVersion)}"`;
}
