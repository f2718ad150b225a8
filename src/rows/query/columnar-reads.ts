import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { QuerySnapshot } from '../../platform/database/query-pool';
import type { RowRange } from './plan/query-parts';
import type { QueryRequest } from './query-request';

/** The rows of a page. */
export interface FoundIds {
  readonly ids: readonly number[];
  /** Number of rows that match; `null` if it is that of all rows, or not needed. */
  readonly total: number | null;
}

/** Reads what a copy has found in PostgreSQL, in the snapshot for which it was found. */
export type ReadFound<Found, T> = (found: Found, snapshot: QuerySnapshot) => Promise<T>;

/** Finds rows in copies of datagrids that are made for scans. */
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
  /** Counts a scan by PostgreSQL. @param rowCount Number of rows of the datagrid; `null` if not known. */
  noteScan(accountId: string, datagridId: string, rowCount: number | null): void;
}

/**
 * The reader of columnar copies. The module that has the copies imports this one, not the reverse, so it
 * registers itself when it starts.
 */
@Injectable()
export class ColumnarReads {
  private registered: ColumnarReader | undefined;

  register(reader: ColumnarReader): void {
    this.registered = reader;
  }

  /** `undefined` if there are no copies. */
  get reader(): ColumnarReader | undefined {
    return this.registered;
  }
}
