import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../../common/error/app-error';
import { datagridSchema, type DatagridSchema } from './datagrid-schema';
import { DatagridSchemaRepository } from './datagrid-schema.repository';

/** Columns that are remembered, of all datagrids: some ten megabytes. */
const MOST_COLUMNS = 20_000;

/** What rows are checked against. */
@Injectable()
export class DatagridSchemaService {
  private readonly recent = new LRUCache<string, DatagridSchema>({
    maxSize: MOST_COLUMNS,
    sizeCalculation: ({ columns }) => columns.size + 1,
  });

  constructor(private readonly repository: DatagridSchemaRepository) {}

  /** The columns as they are now. @throws AppError `not_found` where the account has no such datagrid. */
  async get(accountId: string, datagridId: string): Promise<DatagridSchema> {
    const key = keyOf(accountId, datagridId);
    const found = await this.repository.find(accountId, datagridId);
    if (!found) {
      this.recent.delete(key);
      throw notFound();
    }
    const schema = datagridSchema(datagridId, found.version, found.columns);
    this.recent.set(key, schema);
    return schema;
  }

  /**
   * Spares a round trip: does `work` with the columns as they were when last seen. It has to name
   * their version to the database, which raises it whenever rows are to be checked otherwise, or
   * the datagrid goes into the trash.
   * @returns `null` where `work` gives that, having found another version; where it fails for the
   *   caller's fault, but by columns that are no more; and where none were seen.
   */
  async tryRecent<T>(
    accountId: string,
    datagridId: string,
    work: (schema: DatagridSchema) => Promise<T | null>,
  ): Promise<T | null> {
    const recent = this.recent.get(keyOf(accountId, datagridId));
    if (!recent) return null;
    try {
      return await work(recent);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const now = await this.get(accountId, datagridId);
      if (now.version === recent.version) throw error;
      return null;
    }
  }
}

function keyOf(accountId: string, datagridId: string): string {
  return `${accountId} ${datagridId}`;
}
