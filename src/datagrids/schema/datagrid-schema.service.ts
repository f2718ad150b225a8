import { Injectable } from '@nestjs/common';
import { notFound } from '../../common/error/app-error';
import { datagridSchema, type DatagridSchema } from './datagrid-schema';
import { DatagridSchemaRepository } from './datagrid-schema.repository';

/** What rows are checked against. */
@Injectable()
export class DatagridSchemaService {
  constructor(private readonly repository: DatagridSchemaRepository) {}

  /** @throws AppError `not_found` where the account has no such datagrid. */
  async get(accountId: string, datagridId: string): Promise<DatagridSchema> {
    const found = await this.repository.find(accountId, datagridId);
    if (!found) throw notFound();
    return datagridSchema(datagridId, found.version, found.columns);
  }
}
