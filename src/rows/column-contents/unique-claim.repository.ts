import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';
import { BATCH_SQL, type Batch, type BatchCount } from './batch-sql';

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
