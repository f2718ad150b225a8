import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { indexedColumnValues, removeRows } from '../index/index-build.repository';
import { GAP_LEVEL_VALUES } from '../position/position-sql';
import { decompressed } from '../storage/row-json-sql';
import { releaseUnique, uniqueColumnValues, uniqueHashes } from '../storage/unique-sql';
import { enteredSuffix, forEachKind } from './row-create.repository';

/**
 * Returns common table expressions that release the claims on unique values of the rows in `gone`.
 */
const releaseClaims = (first: number): string => `, released AS (${releaseUnique(`
      SELECT e.column_id, e.hash
      FROM ${uniqueHashes(`SELECT ${decompressed('"values"')} AS "values" FROM gone`, first)}`)}
    )`;

/**
 * Deletes rows with their unique values and index entries, and records a tombstone and the gaps of
 * each row. The unique and indexed columns are in parameters from `$4` on, if there are any.
 */
const deleteStatement = forEachKind((entered) => ({
  name: `row-delete${enteredSuffix(entered)}`,
  text: `
    WITH gone AS (
      DELETE FROM rows WHERE datagrid_id = $1 AND id = ANY($2::bigint[])
      RETURNING id${entered.hasUnique || entered.hasIndex ? ', "values"' : ''}
    ), gaps AS (
      INSERT INTO row_gaps (datagrid_id, level, block, deleted)
      SELECT $1, l.level, (gone.id - 1) >> l.shift, count(*)
      FROM gone CROSS JOIN (VALUES ${GAP_LEVEL_VALUES}) AS l(level, shift)
      GROUP BY l.level, (gone.id - 1) >> l.shift
      ON CONFLICT (datagrid_id, level, block)
      DO UPDATE SET deleted = row_gaps.deleted + excluded.deleted
    )${entered.hasUnique ? releaseClaims(4) : ''}${entered.hasIndex ? `, ${removeRows('gone', entered.hasUnique ? 7 : 4)}` : ''}
    , buried AS (
      INSERT INTO row_tombstones (datagrid_id, row_id, revision) SELECT $1, id, $3 FROM gone
    ), counted AS (
      SELECT count(*) AS count FROM gone
    ), counter AS (
      UPDATE datagrid_counters SET row_count = row_count - (SELECT count FROM counted)
      WHERE datagrid_id = $1
    )
    SELECT count FROM counted`,
}));

/** Deletes rows. Call inside a transaction that holds the datagrid's lock. */
@Injectable()
export class RowDeleteRepository {
  constructor(private readonly database: Database) {}

  /** Deletes the rows that exist. @returns the number of deleted rows. */
  async delete(
    schema: DatagridSchema,
    rowIds: readonly number[],
    revision: number,
  ): Promise<number> {
    const [hasUnique, hasIndex] = [schema.unique.length > 0, schema.indexed.length > 0];
    const statement = deleteStatement({ hasUnique, hasIndex });
    const [deleted] = await this.database.run<{ count: number }>(statement, [
      schema.datagridId,
      rowIds,
      revision,
      ...(hasUnique ? uniqueColumnValues(schema) : []),
      ...(hasIndex ? indexedColumnValues(schema) : []),
    ]);
    return deleted?.count ?? 0;
  }
}
