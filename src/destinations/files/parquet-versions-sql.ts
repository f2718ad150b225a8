import type { IdRange } from '../destination';
import { formerColumns, quoted } from '../duckdb/duckdb-sql';
import {
  type Expressions,
  isIn,
  type FileLayout,
  layoutTypes,
  lineValues,
  selectSql,
  type StagedLines,
  stagedSql,
  type TwoSources,
  unionSql,
} from './parquet-sql';

/**
 * Rows of files in mode `history`. All versions of a row are in the same file. `now()` is the time of
 * the statement that writes the file, so that a version begins when the one before it ends.
 */

/** A line of a load. */
const NEW_VERSION: Omit<Expressions, 'values'> = {
  id: 's.c0',
  revision: 's.c1',
  syncedAt: 'now()',
  end: 'NULL',
};

/** A version of a file. */
const OLD_VERSION = { id: 'f._id', revision: 'f._revision', syncedAt: 'f._synced_at' } as const;

/** Returns the versions of a source after the staged changes. */
export function appliedVersionsSql(
  source: string,
  staged: StagedLines,
  layout: FileLayout,
): string {
  const values = lineValues(layout, staged, 3);
  const isClosed = '(f._revision < s.c1 OR (f._revision = s.c1 AND s.c2))';
  const isFilled = '(f._revision = s.c1 AND NOT s.c2)';
  const before = selectSql(
    layout,
    {
      ...OLD_VERSION,
      values: layout.columns.map(
        ({ name }, index) =>
          `CASE WHEN ${isFilled} THEN ${values[index] ?? 'NULL'} ELSE f.${quoted(name)} END`,
      ),
      end: `CASE WHEN ${isClosed} THEN now() ELSE f._valid_to END`,
    },
    `${source} f LEFT JOIN ${stagedSql(staged)} s ON f._id = s.c0 AND f._valid_to IS NULL`,
  );
  const added = selectSql(
    layout,
    { ...NEW_VERSION, values, condition: 'NOT s.c2' },
    `${stagedSql(staged)} s ANTI JOIN (FROM ${source} WHERE _valid_to IS NULL) t
      ON t._id = s.c0 AND t._revision >= s.c1`,
  );
  return `${before} UNION ALL ${added}`;
}

/** Returns the versions of a source after the current ones of a range were replaced. */
export function replacedVersionsSql(
  source: string,
  staged: StagedLines | null,
  range: IdRange | null,
  layout: FileLayout,
): string {
  const values = staged === null ? [] : lineValues(layout, staged, 2);
  const same = layout.columns.map(({ name }, index) => [`t.${quoted(name)}`, values[index] ?? '']);
  // Somebody may have added a second current version of a row.
  const kept =
    staged === null || range === null
      ? '(SELECT NULL::BIGINT AS _id WHERE false)'
      : `(SELECT t._id FROM (
          FROM ${source} WHERE _valid_to IS NULL AND ${isIn('_id', range)}
          QUALIFY count(*) OVER (PARTITION BY _id) = 1
        ) t JOIN ${stagedSql(staged)} s
          ON t._id = s.c0 AND t._revision = s.c1 AND ${areEqual(same)})`;
  const isReplaced = range === null ? 'false' : `${isIn('f._id', range)} AND k._id IS NULL`;
  const before = selectSql(
    layout,
    {
      ...OLD_VERSION,
      values: layout.columns.map(({ name }) => `f.${quoted(name)}`),
      end: `CASE WHEN f._valid_to IS NULL AND ${isReplaced} THEN now() ELSE f._valid_to END`,
    },
    `${source} f LEFT JOIN ${kept} k ON k._id = f._id`,
  );
  if (staged === null) return before;
  const added = selectSql(
    layout,
    { ...NEW_VERSION, values },
    `${stagedSql(staged)} s ANTI JOIN ${kept} k ON k._id = s.c0`,
  );
  return `${before} UNION ALL ${added}`;
}

/**
 * Returns the versions of former files and of a load. A current version that has the revision and the
 * values of a loaded row stays the same version. Columns that only one of the two has do not count.
 */
export function joinedVersionsSql(
  { loaded, former, from, ids }: TwoSources,
  layout: FileLayout,
): string {
  const found = formerColumns(layout.columns, from.columns, layoutTypes(from));
  const same = found
    .filter(({ isSame }) => isSame)
    .map(({ column, value }) => [value, `l.${quoted(column.name)}`]);
  const old = `(FROM ${unionSql(former)} WHERE ${isIn('_id', ids)})`;
  const own = `(FROM ${loaded} WHERE ${isIn('_id', ids)})`;
  const kept = `(SELECT t._id, t._synced_at FROM (
      FROM ${old} WHERE _valid_to IS NULL QUALIFY count(*) OVER (PARTITION BY _id) = 1
    ) t JOIN ${own} l ON t._id = l._id AND t._revision = l._revision AND ${areEqual(same)})`;
  const current = selectSql(
    layout,
    {
      id: 'l._id',
      revision: 'l._revision',
      values: layout.columns.map(({ name }) => `l.${quoted(name)}`),
      syncedAt: 'coalesce(k._synced_at, now())',
      end: 'NULL',
    },
    `${own} l LEFT JOIN ${kept} k ON k._id = l._id`,
  );
  const ended = selectSql(
    layout,
    {
      id: 't._id',
      revision: 't._revision',
      values: found.map(({ value }) => value),
      syncedAt: 't._synced_at',
      end: 'coalesce(t._valid_to, now())',
      condition: 't._valid_to IS NOT NULL OR k._id IS NULL',
    },
    `${old} t LEFT JOIN ${kept} k ON k._id = t._id`,
  );
  return `${current} UNION ALL ${ended}`;
}

const areEqual = (pairs: readonly (readonly string[])[]): string =>
  ['true', ...pairs.map(([one = '', other = '']) => `${one} IS NOT DISTINCT FROM ${other}`)].join(
    ' AND ',
  );
