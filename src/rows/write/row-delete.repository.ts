import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { GAP_LEVEL_VALUES } from '../position/position-sql';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';

/** Rows, and all that speaks of them; each leaves a tombstone and its gaps. */
const DELETE: Statement = {
  name: 'row-delete',
  text: `
    WITH gone AS (
      DELETE FROM rows WHERE datagrid_id = $1 AND id = ANY($2::bigint[]) RETURNING id, "values"
    ), gaps AS (
      INSERT INTO row_gaps (datagrid_id, level, block, deleted)
      SELECT $1, l.level, (gone.id - 1) >> l.shift, count(*)
      FROM gone CROSS JOIN (VALUES ${GAP_LEVEL_VALUES}) AS l(level, shift)
      GROUP BY l.level, (gone.id - 1) >> l.shift
      ON CONFLICT (datagrid_id, level, block)
      DO UPDATE SET deleted = row_gaps.deleted + excluded.deleted
    ), released AS (
      DELETE FROM unique_values v
      USING gone CROSS JOIN ${uniqueColumns(4)}
      WHERE v.datagrid_id = $1 AND v.column_id = u.column_id
        AND v.value_hash = ${uniqueHash('gone."values"')}
    ), buried AS (
      INSERT INTO row_tombstones (datagrid_id, row_id, revision) SELECT $1, id, $3 FROM gone
    ), counted AS (
      SELECT count(*) AS count FROM gone
    ), counter AS (
      UPDATE datagrid_counters SET row_count = row_count - (SELECT count FROM counted)
      WHERE datagrid_id = $1
    )
    SELECT count FROM counted`,
};

/** For use inside a transaction that holds the datagrid's lock. */
@Injectable()
export class RowDeleteRepository {
  constructor(private readonly database: Database) {}

  /** Deletes those of the rows that are there. @returns how many they were. */
  async delete(
    schema: DatagridSchema,
    rowIds: readonly number[],
    revision: number,
  ): Promise<number> {
    const values = [schema.datagridId, rowIds, revision, ...uniqueColumnValues(schema)];
    const [deleted] = await this.database.run<{ count: number }>(DELETE, values);
    return deleted?.count ?? 0;
  }
}
