import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { indexedColumnValues } from '../index/index-sql';
import { uniqueColumnValues } from '../storage/unique-sql';
import { createDatedStatement, createStatement } from './row-create-sql';

export interface Created {
  /** The ids are this and those that follow. */
  readonly firstId: number;
  /** The datagrid's, after it. */
  readonly revision: number;
  /** `createdAt` and `updatedAt`. */
  readonly at: string;
}

@Injectable()
export class RowCreateRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates rows, all or none. `json` is an array of `count` objects of values by slot.
   * @param raise By how much the revision goes up: 0 where this transaction has raised it already,
   *   1 for rows that share it, `count` for rows that each have their own, the last the highest.
   * @returns `null` where the columns are no longer those of `schema`.
   * @throws what `isUniqueViolation` knows, where a unique value is taken.
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
