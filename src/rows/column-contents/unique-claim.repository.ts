import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';

/** Maximum number of rows that one statement reads, so that it stays short in any datagrid. */
const BATCH_ROWS = 5_000;

/** A range of a datagrid's rows, in id order. See `BATCH_SQL`. */
export interface Batch {
  readonly afterId: number;
  readonly maxBytes: number;
}

export interface BatchCount {
  /** Id of the last row of the batch; `null` if no rows follow. */
  readonly lastId: number | null;
  readonly count: number;
}

/**
 * Query for the rows that follow row $2 in id order, for use as `batch`. It returns the rows that
 * start within $3 bytes, counted as stored (values can be compressed). Sizes are read without
 * decompressing values, so only the values of the batch are decompressed.
 */
export const BATCH_SQL = `
  SELECT id, "values" FROM (
    SELECT id, "values", sum(pg_column_size("values")) OVER (
      ORDER BY id ROWS UNBOUNDED PRECEDING
    ) - pg_column_size("values") AS start
    FROM (
      SELECT id, "values" FROM rows WHERE datagrid_id = $1 AND id > $2
      ORDER BY id LIMIT ${String(BATCH_ROWS)}
    ) few
  ) sized
  WHERE start < $3::int`;

/** Claims values and counts the rows whose value an earlier row has already claimed. */
const CLAIM: Statement = {
  name: 'unique-claim',
  text: `
    WITH batch AS (${BATCH_SQL}), valued AS (
      SELECT batch.id, u.column_id, ${uniqueHash('batch."values"')} AS hash
      FROM batch CROSS JOIN ${uniqueColumns(4)}
      WHERE batch."values" ? u.slot
    ), claimed AS (
      INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
      SELECT $1, column_id, hash, id FROM valued
      ON CONFLICT (datagrid_id, column_id, value_hash) DO NOTHING
      RETURNING row_id
    )
    SELECT (SELECT max(id) FROM batch) AS "lastId",
      (SELECT count(*) FROM valued) - (SELECT count(*) FROM claimed) AS count`,
};

const RELEASE: Statement = {
  name: 'unique-release',
  text: 'DELETE FROM unique_values WHERE datagrid_id = $1 AND column_id = $2',
};

/** Claims unique values. Use it in a transaction that holds the datagrid's lock. */
@Injectable()
export class UniqueClaimRepository {
  constructor(private readonly database: Database) {}

  /** Claims the values of the batch. Counts those that are already claimed. */
  async claim(column: StoredColumn, { afterId, maxBytes }: Batch): Promise<BatchCount> {
    const unique = uniqueColumnValues({ unique: [column] });
    const values = [column.datagridId, afterId, maxBytes, ...unique];
    const [claimed] = await this.database.run<BatchCount>(CLAIM, values);
    return claimed ?? { lastId: null, count: 0 };
  }

  /** Releases all claims on values of the column. */
  async release({ datagridId, id }: StoredColumn): Promise<void> {
    await this.database.run(RELEASE, [datagridId, id]);
  }
}
