import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../../common/error/app-error';
import { AccountCache } from '../../platform/fairness/account-cache';
import { LargeColumns, type SizedRead } from '../column/large-columns';
import { datagridSchema, type DatagridSchema } from './datagrid-schema';
import { DatagridSchemaRepository } from './datagrid-schema.repository';

const MAX_CACHE_BYTES = 32 * 1024 * 1024;
/** Approximate bytes of a column besides its title and options. */
const COLUMN_BYTES = 512;

/** Provides the columns that rows are checked against, with a cache. */
@Injectable()
export class DatagridSchemaService {
  private readonly recent = new AccountCache<DatagridSchema>(MAX_CACHE_BYTES);

  constructor(
    private readonly repository: DatagridSchemaRepository,
    private readonly large: LargeColumns,
  ) {}

  /**
   * Returns the current columns. Columns that are cached and unchanged are not read again.
   * @throws AppError `not_found` if the account has no such datagrid; `rate_limited` or
   *   `unavailable` if too many large datagrids are being read.
   */
  async get(accountId: string, datagridId: string): Promise<DatagridSchema> {
    const schema = await this.large.read(accountId, (maxBytes) =>
      this.read(accountId, datagridId, maxBytes),
    );
    if (schema) return schema;
    this.recent.delete(accountId, datagridId);
    throw notFound('Datagrid');
  }

  /**
   * Returns the columns at a version that a statement has just read, without a statement if they are
   * cached. If they have changed since, it returns the current ones.
   * @throws as `get`
   */
  async getAt(accountId: string, datagridId: string, version: number): Promise<DatagridSchema> {
    const recent = this.recent.get(accountId, datagridId);
    return recent?.version === version ? recent : this.get(accountId, datagridId);
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
   * Saves a round trip: runs `work` with the cached columns. `work` must pass their version to the
   * database, which increments it whenever rows are checked, stored or indexed differently, or the
   * datagrid moves into the trash.
   * @returns `null` if nothing is cached, if `work` returns `null` because it found another
   *   version, or if `work` throws an AppError and the version has changed since the columns were
   *   cached.
   * @param readCurrent Reads the current columns after such an error.
   */
  async tryWithCached<T>(
    accountId: string,
    datagridId: string,
    work: (schema: DatagridSchema) => Promise<T | null>,
    readCurrent = (): Promise<DatagridSchema> => this.get(accountId, datagridId),
  ): Promise<T | null> {
    const recent = this.recent.get(accountId, datagridId);
    if (!recent) return null;
    try {
      return await work(recent);
    } catch (error) {
      if (!(error instanceof AppError) || isAboutLoad(error)) throw error;
      const version = await readCurrent().then(
        (now) => now.version,
        (failure: unknown) => {
          // If the columns cannot be read now, the first error is the better response.
          throw failure instanceof AppError && isAboutLoad(failure) ? error : failure;
        },
      );
      if (version === recent.version) throw error;
      return null;
    }
  }
}

/** Returns whether an error is about the load or the cost of a request, whatever the columns are. */
function isAboutLoad({ code }: AppError): boolean {
  return code === 'rate_limited' || code === 'unavailable' || code === 'query_too_expensive';
}
