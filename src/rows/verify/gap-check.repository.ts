import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { GAP_LEVEL_VALUES, GAP_LEVELS } from '../position/position-sql';
import type { Check, Finding } from './problem';

const [SMALLEST] = GAP_LEVELS;

/**
 * The entries of `row_gaps` that are `wrong`, with what they should say: of each block of ids
 * that were ever handed out, those that no row has. Ids are handed out without holes. Nothing is
 * wrong with a datagrid that was deleted meanwhile.
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
  ), living AS (
    SELECT level, block >> (shift - ${String(SMALLEST.shift)}) AS block, sum(living)::bigint AS living
    FROM smallest CROSS JOIN levels GROUP BY 1, 2
  ), expected AS (
    SELECT l.level, b.block,
      least(1::bigint << l.shift, last.id - (b.block << l.shift)) - coalesce(n.living, 0) AS deleted
    FROM levels l
    CROSS JOIN last
    CROSS JOIN LATERAL generate_series(0, (last.id - 1) >> l.shift) AS b(block)
    LEFT JOIN living n ON n.level = l.level AND n.block = b.block
  ), wrong AS (
    SELECT level, block, coalesce(e.deleted, 0) AS deleted
    FROM expected e
    FULL JOIN (
      SELECT level, block, deleted FROM row_gaps WHERE datagrid_id = $1
    ) g USING (level, block)
    WHERE coalesce(e.deleted, 0) <> coalesce(g.deleted, 0)
      AND EXISTS (SELECT FROM datagrids WHERE id = $1)
  )`;

const FIND: Statement = {
  name: 'verify-gap-find',
  text: `${WRONG} SELECT count(*) AS entries FROM wrong`,
};

const MEND: Statement = {
  name: 'verify-gap-mend',
  text: `
    ${WRONG}, removed AS (
      DELETE FROM row_gaps g USING wrong w
      WHERE g.datagrid_id = $1 AND g.level = w.level AND g.block = w.block AND w.deleted = 0
    )
    INSERT INTO row_gaps (datagrid_id, level, block, deleted)
    SELECT $1, level, block, deleted FROM wrong WHERE deleted > 0
    ON CONFLICT (datagrid_id, level, block) DO UPDATE SET deleted = excluded.deleted`,
};

/** Holds the deletions that are counted by blocks of ids against the rows that are there. */
@Injectable()
export class GapCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const [found] = await this.database.run<{ entries: number }>(FIND, [datagridId]);
    const entries = found?.entries ?? 0;
    if (entries === 0) return [];
    const message = `${String(entries)} entries of row_gaps are not as the rows are: pages are wrong`;
    return [{ kind: 'row_gaps', message, figures: { entries } }];
  }

  async mend(datagridId: string): Promise<void> {
    await this.database.run(MEND, [datagridId]);
  }
}
