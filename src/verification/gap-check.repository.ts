import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { GAP_LEVEL_VALUES, GAP_LEVELS } from '../rows/position/position-sql';
import type { Check, Finding } from './problem';

const [SMALLEST] = GAP_LEVELS;

/**
 * Common table expressions that compute `wrong`, the wrong entries of `row_gaps`, with their
 * correct counts. The correct count of a block is the number of its assigned ids that no row has.
 * Ids are assigned without gaps. A datagrid that was deleted in the meantime has no wrong entries.
 * Blocks are matched by grouping, not by a join: the planner has too little information to join
 * them efficiently.
 */
const WRONG = `
  WITH last AS (
    SELECT greatest(
      (SELECT max(last_row_id) FROM datagrid_counters WHERE datagrid_id = $1),
      (SELECT max(id) FROM rows WHERE datagrid_id = $1),
      (SELECT max(row_id) FROM row_tombstones WHERE datagrid_id = $1), 0) AS id
  ), levels (level, shift) AS (
    VALUES ${GAP_LEVEL_VALUES}
  ), smallest AS MATERIALIZED (
    SELECT (id - 1) >> ${String(SMALLEST.shift)} AS block, count(*) AS living
    FROM rows WHERE datagrid_id = $1 GROUP BY 1
  ), wrong AS (
    SELECT level, block, sum(ids)::bigint AS deleted
    FROM (
      SELECT l.level, b.block, least(1::bigint << l.shift, last.id - (b.block << l.shift)) AS ids,
        0 AS stored
      FROM levels l CROSS JOIN last
      CROSS JOIN LATERAL generate_series(0, (last.id - 1) >> l.shift) AS b(block)
      UNION ALL
      SELECT level, block >> (shift - ${String(SMALLEST.shift)}), -living, 0
      FROM smallest CROSS JOIN levels
      UNION ALL
      SELECT level, block, 0, deleted FROM row_gaps WHERE datagrid_id = $1
    ) b
    GROUP BY level, block
    HAVING sum(ids) <> sum(stored) AND EXISTS (SELECT FROM datagrids WHERE id = $1)
  )`;

const FIND: Statement = {
  name: 'verify-gap-find',
  text: `${WRONG} SELECT count(*) AS entries FROM wrong`,
};

const REPAIR: Statement = {
  name: 'verify-gap-repair',
  text: `
    ${WRONG}, removed AS (
      DELETE FROM row_gaps g USING wrong w
      WHERE g.datagrid_id = $1 AND g.level = w.level AND g.block = w.block AND w.deleted = 0
    )
    INSERT INTO row_gaps (datagrid_id, level, block, deleted)
    SELECT $1, level, block, deleted FROM wrong WHERE deleted > 0
    ON CONFLICT (datagrid_id, level, block) DO UPDATE SET deleted = excluded.deleted`,
};

/** Compares the deletion counts per block of ids with the existing rows. */
@Injectable()
export class GapCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const [found] = await this.database.run<{ entries: number }>(FIND, [datagridId]);
    const entries = found?.entries ?? 0;
    if (entries === 0) return [];
    const message = `${String(entries)} entries of row_gaps do not match the rows: pages are wrong`;
    return [{ kind: 'row_gaps', message, figures: { entries } }];
  }

  async repair(datagridId: string): Promise<void> {
    await this.database.run(REPAIR, [datagridId]);
  }
}
