import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { indexedColumnValues } from '../index/index-sql';
import { uniqueColumnValues } from '../storage/unique-sql';
import { createDatedStatement, createStatement } from './row-create-sql';

export interface Created {
  /** Id of the first row. The ids of the other rows follow without gaps. */
  readonly firstId: number;
  /** The revision of the datagrid after the write. */
  readonly revision: number;
  /** `createdAt` and `updatedAt` of the rows. */
  readonly at: string;
}

@Injectable()
export class RowCreateRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates all rows or none. `json` is an array of `count` objects of values by slot.
   * @param raise Increment of the revision: 0 if this transaction has already raised it, 1 for rows
   *   that share a revision, or `count` for rows that each have their own; the last row has the
   *   highest.
   * @returns `null` if the columns are no longer those of `schema`.
   * @throws an error for which `isUniqueViolation` is true, if a unique value is already used.
   */
  async create(
    schema: DatagridSchema,
    json: string,
    count: number,
    raise = 1,
  ): Promise<Created | null> {
    const [hasUnique, hasIndex] = [schema.unique.length > 0, schema.indexed.length > 0];
    const statementOf = raise === 0 ? createDatedStatement : createStatement;
    const [created] = await this.database.run<Created>(statementOf({ hasUnique, hasIndex }), [
      schema.datagridId,
      schema.version,
      json,
      count,
      raise,
      ...(hasUnique ? uniqueColumnValues(schema) : []),
      ...(hasIndex ? indexedColumnValues(schema) : []),
    ]);
    return created ?? null;
  }
}
