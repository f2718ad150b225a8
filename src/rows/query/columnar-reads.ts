import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { DatabaseSnapshot, QuerySnapshot } from '../../platform/database/query-pool';
import type { RowRange } from './plan/query-parts';
import type { QueryRequest } from './query-request';

/** Ids of the rows of a page, in order. */
export interface FoundIds {
  readonly ids: readonly number[];
  /** Number of rows that match; `null` if all rows match or no total is needed. */
  readonly total: number | null;
}

/** Reads the rows that a copy has found from PostgreSQL, in the same snapshot. */
export type ReadFound<Found, T> = (found: Found, snapshot: QuerySnapshot) => Promise<T>;

/** A snapshot, and the maximum number of rows to find in it. */
export interface BoundedSnapshot {
  readonly snapshot: DatabaseSnapshot;
  readonly maxIds: number;
}

/** Queries rows in columnar copies. */
export interface ColumnarReader {
  /**
   * Finds the rows of a page in a snapshot, and reads them in it.
   * @returns `null` if no copy can find them exactly. PostgreSQL then finds them.
   * @throws what `read` throws, QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  findPage<T>(
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    span: RowRange,
    read: ReadFound<FoundIds, T>,
  ): Promise<T | null>;
  /**
   * Finds all rows that match a request.
   * @param begin Begins the snapshot in which they are found; `null` if the columns are no longer those of `schema`.
   * @returns their ids, in order; `null` if no copy can find them exactly, or if there are more than `maxIds`.
   *   The snapshot may have begun, and may have failed.
   * @throws QueryTimeoutError, or what `begin` throws.
   */
  findAll(
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    begin: () => Promise<BoundedSnapshot | null>,
  ): Promise<readonly number[] | null>;
  /** Counts a scan by PostgreSQL. @param rowCount Number of rows of the datagrid; `null` if not known. */
  noteScan(accountId: string, datagridId: string, rowCount: number | null): void;
}

/**
 * Holds the reader of columnar copies. The module of the copies imports this one, so the reader registers
 * itself at startup.
 */
@Injectable()
export class ColumnarReads {
  private registered: ColumnarReader | undefined;

  register(reader: ColumnarReader): void {
    this.registered = reader;
  }

  /** The registered reader; `undefined` until one registers. It is also registered while copies are off. */
  get reader(): ColumnarReader | undefined {
    return this.registered;
  }
}
