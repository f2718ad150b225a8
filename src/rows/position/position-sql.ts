/**
 * Levels of the blocks of row ids for which `row_gaps` counts deletions. A block of a level has
 * 2^shift ids.
 */
export const GAP_LEVELS = [
  { level: 0, shift: 8 },
  { level: 1, shift: 14 },
  { level: 2, shift: 20 },
] as const;

/** Levels as SQL rows `(level, shift)`, for use after VALUES. */
export const GAP_LEVEL_VALUES = GAP_LEVELS.map(
  ({ level, shift }) => `(${String(level)}, ${String(shift)})`,
).join(', ');

type Level = (typeof GAP_LEVELS)[number]['level'];

const size = (level: Level): string => String(2 ** GAP_LEVELS[level].shift);

const PARENT_LEVEL = [1, 2] as const;

/** Returns the number of blocks of a level in one block of the level above. */
const fanout = (level: 0 | 1): string =>
  String(2 ** (GAP_LEVELS[PARENT_LEVEL[level]].shift - GAP_LEVELS[level].shift));

/**
 * The offset counts existing rows. A block starts at the offset `block * size - before`. Selects the
 * last block of `level` that starts at or before the offset, among the blocks with deletions that meet
 * `condition`. Returns the number of the block, the number of deletions before it and in it, and whether
 * the block contains the offset.
 * @param before SQL of the number of deletions before the first of these blocks.
 */
function lastBlockSql(level: Level, offset: string, before: string, condition: string): string {
  return `
    SELECT g.block, g.before, g.deleted,
      ${offset} < (g.block + 1) * ${size(level)} - g.before - g.deleted AS contains_offset
    FROM (
      SELECT block, deleted, ${before} + sum(deleted) OVER (ORDER BY block) - deleted AS before
      FROM row_gaps
      WHERE datagrid_id = $1 AND level = ${String(level)} AND ${condition}
    ) g
    WHERE g.block * ${size(level)} - g.before <= ${offset}
    ORDER BY g.block DESC LIMIT 1`;
}

/** Returns the condition for the blocks of `level` in the block found at the level above it. */
const children = (level: 0 | 1): string => {
  const parent = `g${String(PARENT_LEVEL[level])}`;
  return `${parent}.contains_offset AND block >= ${parent}.block * ${fanout(level)}
    AND block < (${parent}.block + 1) * ${fanout(level)}`;
};

/**
 * Returns SQL that finds the row at an offset without counting rows. It is a lateral table `at`
 * with `after_id` and `skip`: the page starts with the rows whose id is greater than `after_id`,
 * without the first `skip`. `skip` is less than 256. Needs the counter as `c` and the datagrid's id
 * as $1.
 *
 * Without deletions, the row at offset o has id o + 1. Otherwise the number of deletions before it
 * is added. Their running sum leads to the block of 2^20 ids that contains the row, then to the
 * block of 2^14 ids in it, then to the block of 2^8 ids. If the last block found
 * does not contain the row, the sum up to its end is the result. If a block contains the row, but none
 * of its smaller blocks with deletions starts before it, the sum up to its start is the result.
 *
 * Example: of 1,000,000 rows, those with the ids 11, 12 and 13 and the id 300 were deleted. Level 0 has
 * block 0 (ids 1–256) with 3 deletions and block 1 (ids 257–512) with 1.
 * - Offset 5: block 0 contains it. The page starts after id 0 and skips 5 rows: id 6.
 * - Offset 280: block 0 holds the offsets 0 to 252, so block 1 contains it. Before block 1, 3 rows were
 *   deleted, so it starts at offset 253. The page starts after id 256 and skips 27 rows.
 * - Offset 900: no block contains it. 4 rows were deleted before it: the page starts after id 904.
 */
export const pageStartSql = (offset: string): string => `
  LEFT JOIN LATERAL (${lastBlockSql(2, offset, '0', 'c.row_count < c.last_row_id')}) g2 ON true
  LEFT JOIN LATERAL (${lastBlockSql(1, offset, 'g2.before', children(1))}) g1 ON true
  LEFT JOIN LATERAL (${lastBlockSql(0, offset, 'g1.before', children(0))}) g0 ON true
  CROSS JOIN LATERAL (
    SELECT
      CASE
        WHEN g0.contains_offset THEN g0.block * ${size(0)}
        ELSE ${offset} + coalesce(
          g0.before + g0.deleted,
          CASE WHEN g1.contains_offset THEN g1.before ELSE g1.before + g1.deleted END,
          CASE WHEN g2.contains_offset THEN g2.before ELSE g2.before + g2.deleted END,
          0)
      END::bigint AS after_id,
      CASE WHEN g0.contains_offset THEN ${offset} - (g0.block * ${size(0)} - g0.before) ELSE 0
      END::bigint AS skip
  ) at`;
