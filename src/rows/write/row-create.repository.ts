import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { enterRows, indexedColumnValues } from '../index/index-build.repository';
import type { Created } from '../storage/row-json';
import { decompressed, timeText } from '../storage/row-json-sql';
import { uniqueColumnValues, uniqueHashes } from '../storage/unique-sql';
import { RAISE_WRITE_TIME, WRITE_TIME } from './counter.repository';

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

/** The side tables that a statement writes in addition to `rows`. */
export interface Entered {
  readonly hasUnique: boolean;
  readonly hasIndex: boolean;
}

/**
 * Returns common table expressions to append after one named `created`, which has the new rows
 * (`id`, `values`). They insert the claims on unique values, with the columns in parameters from $6
 * on, and the index entries, with the columns in the parameters that follow.
 */
export function enterCreated({ hasUnique, hasIndex }: Entered): string {
  const claimed = `, claimed AS (
      INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
      SELECT $1, e.column_id, e.hash, r.id
      FROM ${uniqueHashes(`SELECT id, ${decompressed('"values"')} AS "values" FROM created`, 6)}
    )`;
  const entered = `, ${enterRows('created', hasUnique ? 9 : 6)}`;
  return `${hasUnique ? claimed : ''}${hasIndex ? entered : ''}`;
}

/** Returns the part of a statement's name that distinguishes the variants of the statement. */
export function enteredSuffix({ hasUnique, hasIndex }: Entered): string {
  return `${hasUnique ? '-unique' : ''}${hasIndex ? '-indexed' : ''}`;
}

/**
 * Creates a variant of a statement for each kind of datagrid. Datagrids without unique or indexed
 * columns have a smaller statement, which PostgreSQL sets up faster.
 */
export function forEachKind(
  make: (entered: Entered) => Statement,
): (entered: Entered) => Statement {
  const [plain, indexed, unique, both] = [
    make({ hasUnique: false, hasIndex: false }),
    make({ hasUnique: false, hasIndex: true }),
    make({ hasUnique: true, hasIndex: false }),
    make({ hasUnique: true, hasIndex: true }),
  ];
  return ({ hasUnique, hasIndex }) => {
    if (hasUnique) return hasIndex ? both : unique;
    return hasIndex ? indexed : plain;
  };
}

/**
 * Returns the whole write as one statement. It locks the counter first, so that writes are ordered
 * and ids are assigned only to rows that are really created. Rows get the time after the wait for
 * the lock. With `isDated`, they get the time that this transaction has already set for its write.
 */
function statement(entered: Entered, isDated: boolean): Statement {
  return {
    name: `row-create${isDated ? '-dated' : ''}${enteredSuffix(entered)}`,
    text: `
    WITH taken AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $4, row_count = row_count + $4,
        revision = revision + $5::bigint${isDated ? '' : `, ${RAISE_WRITE_TIME}`}
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING last_row_id - $4 AS before, revision, last_written_at
    ), counter AS MATERIALIZED (
      SELECT before, revision, ${isDated ? 'last_written_at' : WRITE_TIME} AS at FROM taken
    ), created AS (
      INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
      SELECT $1, counter.before + item.ordinal, item.value,
        counter.revision - CASE WHEN $5::bigint = $4 THEN $4 - item.ordinal ELSE 0 END,
        counter.at, counter.at
      FROM counter
      CROSS JOIN jsonb_array_elements($3::jsonb) WITH ORDINALITY AS item(value, ordinal)
      RETURNING id, "values"
    )${enterCreated(entered)}
    SELECT before + 1 AS "firstId", revision, ${timeText('at')} AS at FROM counter`,
  };
}

/**
 * Creates rows. Parameters: the datagrid, the version of its columns, an array of values by slot,
 * the number of rows, the increment of the revision, and the unique and indexed columns, if there
 * are any.
 */
export const createStatement = forEachKind((entered) => statement(entered, false));

/** Like `createStatement`, for a transaction that has already raised the revision. */
const createDatedStatement = forEachKind((entered) => statement(entered, true));
