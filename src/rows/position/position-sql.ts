/** Sizes of the blocks of ids, by level, as powers of two. */
export const GAP_LEVELS = [
  { level: 0, shift: 8 },
  { level: 1, shift: 14 },
  { level: 2, shift: 20 },
] as const;

/** The levels as SQL, `(level, shift)` each, for use after VALUES. */
export const GAP_LEVEL_VALUES = GAP_LEVELS.map(
  ({ level, shift }) => `(${String(level)}, ${String(shift)})`,
).join(', ');

type Level = (typeof GAP_LEVELS)[number]['level'];

const size = (level: Level): string => String(2 ** GAP_LEVELS[level].shift);

const ABOVE = [1, 2] as const;

/** How many blocks of a level a block of the one above holds. */
const fanout = (level: 0 | 1): string =>
  String(2 ** (GAP_LEVELS[ABOVE[level]].shift - GAP_LEVELS[level].shift));

/**
 * The last block of `level` that begins at or before `offset`, counted in living rows, among the
 * blocks that `within` allows: its number, the deletions before it, and its own.
 */
function lastBlock(level: Level, offset: string, before: string, within: string): string {
  return `
    SELECT g.block, g.before, g.deleted,
      ${offset} < (g.block + 1) * ${size(level)} - g.before - g.deleted AS inside
    FROM (
      SELECT block, deleted, ${before} + sum(deleted) OVER (ORDER BY block) - deleted AS before
      FROM row_gaps
      WHERE datagrid_id = $1 AND level = ${String(level)} AND ${within}
    ) g
    WHERE g.block * ${size(level)} - g.before <= ${offset}
    ORDER BY g.block DESC LIMIT 1`;
}

/** The blocks of `level` in the block that was found at the level above it. */
const children = (level: 0 | 1): string => {
  const parent = `g${String(ABOVE[level])}`;
  return `${parent}.inside AND block >= ${parent}.block * ${fanout(level)}
    AND block < (${parent}.block + 1) * ${fanout(level)}`;
};

/**
 * Finds where the row at an offset stands, without counting rows: a lateral table `at` with
 * `after_id` and `skip`, to be read as "the rows whose id is greater than `after_id`, but for the
 * first `skip`"; `skip` stays below 256. Needs the counter as `c` and the datagrid's id as $1.
 *
 * With no deletions the row at offset o has id o + 1. Otherwise the deletions before it are
 * added: their running sum leads to the block of 2^20 ids that the row is in, then to the block
 * of 2^14 in that, then to the one of 2^8. Where no deleted row lies in between, the sum so far
 * is the answer already.
 */
export const positionAt = (offset: string): string => `
  LEFT JOIN LATERAL (${lastBlock(2, offset, '0', 'c.row_count < c.last_row_id')}) g2 ON true
  LEFT JOIN LATERAL (${lastBlock(1, offset, 'g2.before', children(1))}) g1 ON true
  LEFT JOIN LATERAL (${lastBlock(0, offset, 'g1.before', children(0))}) g0 ON true
  CROSS JOIN LATERAL (
    SELECT
      CASE
        WHEN g0.inside THEN g0.block * ${size(0)}
        ELSE ${offset} + coalesce(
          g0.before + g0.deleted,
          CASE WHEN g1.inside THEN g1.before ELSE g1.before + g1.deleted END,
          CASE WHEN g2.inside THEN g2.before ELSE g2.before + g2.deleted END,
          0)
      END::bigint AS after_id,
      CASE WHEN g0.inside THEN ${offset} - (g0.block * ${size(0)} - g0.before) ELSE 0
      END::bigint AS skip
  ) at`;
