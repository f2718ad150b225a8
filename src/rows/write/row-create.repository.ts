import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { enterRows, indexedColumnValues } from '../index/index-sql';
import { timeText } from '../storage/row-json-sql';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';

/**
 * The whole write in one statement. The counter is taken first, which puts writes in order; ids
 * are handed out only for what is really created. Datagrids without unique or indexed columns
 * have a smaller one, which is quicker to set up.
 */
function statement(hasUnique: boolean, hasIndex: boolean): Statement {
  const claimed = `, claimed AS (
      INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
      SELECT $1, u.column_id, ${uniqueHash('created."values"')}, created.id
      FROM created CROSS JOIN ${uniqueColumns(6)}
      WHERE created."values" ? u.slot
    )`;
  return {
    name: `row-create${hasUnique ? '-unique' : ''}${hasIndex ? '-indexed' : ''}`,
    text: `
    WITH counter AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $4, row_count = row_count + $4, revision = revision + $5::bigint
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING last_row_id - $4 AS before, revision, 
        (CASE WHEN $5::bigint = 0 THEN now() ELSE clock_timestamp() END)::timestamptz(3) AS at
    ), created AS (
      INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
      SELECT $1, counter.before + item.ordinal, item.value,
        counter.revision - CASE WHEN $5::bigint = $4 THEN $4 - item.ordinal ELSE 0 END,
        counter.at, counter.at
      FROM counter
      CROSS JOIN jsonb_array_elements($3::jsonb) WITH ORDINALITY AS item(value, ordinal)
      RETURNING id, "values"
    )${hasUnique ? claimed : ''}${hasIndex ? `, ${enterRows('created', hasUnique ? 9 : 6)}` : ''}
    SELECT before + 1 AS "firstId", revision, ${timeText('at')} AS at FROM counter`,
  };
}

const STATEMENTS = [
  statement(false, false),
  statement(false, true),
  statement(true, false),
  statement(true, true),
] as const;

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
    const [plain, indexed, unique, both] = STATEMENTS;
    const create = hasUnique ? (hasIndex ? both : unique) : hasIndex ? indexed : plain;
    const [created] = await this.database.run<Created>(create, [
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
