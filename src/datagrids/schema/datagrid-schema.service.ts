import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../../common/error/app-error';
import { AccountCache } from '../../platform/fairness/account-cache';
import { LargeColumns, type SizedRead } from '../column/large-columns';
import { datagridSchema, type DatagridSchema } from './datagrid-schema';
import { DatagridSchemaRepository } from './datagrid-schema.repository';

const MAX_CACHE_BYTES = 32 * 1024 * 1024;
/** What a column takes beside its title and options, about. */
const COLUMN_BYTES = 512;

/** What rows are checked against. */
@Injectable()
export class DatagridSchemaService {
  private readonly recent = new AccountCache<DatagridSchema>(MAX_CACHE_BYTES);

  constructor(
    private readonly repository: DatagridSchemaRepository,
    private readonly large: LargeColumns,
  ) {}

  /**
   * The columns as they are now. Those that were seen before are not read again.
   * @throws AppError `not_found` where the account has no such datagrid; `rate_limited` or
   *   `unavailable` where too many large ones are being read.
   */
  async get(accountId: string, datagridId: string): Promise<DatagridSchema> {
    const schema = await this.large.read(accountId, (maxBytes) =>
      this.read(accountId, datagridId, maxBytes),
    );
    if (schema) return schema;
    this.recent.delete(accountId, datagridId);
    throw notFound('Datagrid');
  }

  private async read(
    accountId: string,
    datagridId: string,
    maxBytes: number,
  ): Promise<SizedRead<DatagridSchema> | null> {
    const known = this.recent.get(accountId, datagridId);
    const state = known?.state ?? null;
    const found = await this.repository.find(accountId, datagridId, state, maxBytes);
    if (!found) return null;
    const { columns, columnsBytes } = found;
    if (known && found.state === state) return { value: known, columnsBytes };
    if (!columns) return { value: null, columnsBytes };
    const value = datagridSchema(datagridId, found, columns);
    const bytes = 2 * columnsBytes + COLUMN_BYTES * (columns.length + 1);
    this.recent.set(accountId, datagridId, value, bytes);
    return { value, columnsBytes };
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
    const recent = this.recent.get(accountId, datagridId);
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
