import type { IdRange } from '../destination';
import { formerColumns, quoted } from '../duckdb/duckdb-sql';
import {
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
import { appliedVersionsSql, joinedVersionsSql, replacedVersionsSql } from './parquet-versions-sql';

/** Returns the rows of a source after the staged changes. A row with a higher revision stays. */
export function appliedSql(source: string, staged: StagedLines, layout: FileLayout): string {
  if (layout.mode === 'history') return appliedVersionsSql(source, staged, layout);
  const applies = '(s.c0 IS NOT NULL AND (f._id IS NULL OR s.c1 >= f._revision))';
  const sets = `(${applies} AND NOT s.c2)`;
  const isDeleted =
    layout.mode === 'mark' ? `(${applies} AND s.c2 AND f._id IS NULL)` : `(${applies} AND s.c2)`;
  return selectSql(
    layout,
    {
      id: 'coalesce(f._id, s.c0)',
      revision: `CASE WHEN ${applies} THEN s.c1 ELSE f._revision END`,
      values: stagedValues(layout, staged, 3, sets),
      syncedAt: `CASE WHEN ${applies} THEN now() ELSE f._synced_at END`,
      end: `CASE WHEN NOT ${applies} THEN f._deleted_at
        WHEN s.c2 THEN coalesce(f._deleted_at, now()) END`,
      condition: `NOT ${isDeleted}`,
    },
    joined(source, staged),
  );
}

/** Returns the rows of a source and the staged ones, which replace those with the same id. */
export function replacedSql(
  source: string,
  staged: StagedLines | null,
  range: IdRange | null,
  layout: FileLayout,
): string {
  if (layout.mode === 'history') return replacedVersionsSql(source, staged, range, layout);
  const lines = staged ?? { columns: layout.columns, ids: null };
  const isStaged = staged === null ? 'false' : '(s.c0 IS NOT NULL)';
  const isInRange = range === null ? 'false' : `(${isIn('f._id', range)})`;
  const marked =
    layout.mode === 'mark' ? `WHEN ${isInRange} AND f._deleted_at IS NULL THEN now()` : '';
  return selectSql(
    layout,
    {
      id: staged === null ? 'f._id' : 'coalesce(f._id, s.c0)',
      revision:
        staged === null ? 'f._revision' : `CASE WHEN ${isStaged} THEN s.c1 ELSE f._revision END`,
      values:
        lines.ids === null
          ? layout.columns.map(({ name }) => `f.${quoted(name)}`)
          : stagedValues(layout, lines, 2, isStaged),
      syncedAt: `CASE WHEN ${isStaged} THEN now() ${marked} ELSE f._synced_at END`,
      end: `CASE WHEN ${isStaged} THEN NULL ${marked} ELSE f._deleted_at END`,
      ...(layout.mode === 'delete' && { condition: `${isStaged} OR NOT ${isInRange}` }),
    },
    lines.ids === null ? `${source} f` : joined(source, lines),
  );
}

/** Rows of a load, and those that only the former files have. */
export interface TakenOver {
  /** Rows that the former files add; `null` if the others can change, too. */
  readonly missing: string | null;
  readonly all: string;
}

/** Returns the rows of a load with what the mode keeps of the former files. */
export function takenOverSql(sources: TwoSources, layout: FileLayout): TakenOver {
  if (layout.mode === 'history') return { missing: null, all: joinedVersionsSql(sources, layout) };
  const { loaded, former, from, ids } = sources;
  const values = formerColumns(layout.columns, from.columns, layoutTypes(from));
  const missing = selectSql(
    layout,
    {
      id: 't._id',
      revision: 't._revision',
      values: values.map(({ value }) => value),
      syncedAt: 'CASE WHEN t._deleted_at IS NULL THEN now() ELSE t._synced_at END',
      end: 'coalesce(t._deleted_at, now())',
      condition: isIn('t._id', ids),
    },
    `${unionSql(former)} t ANTI JOIN ${loaded} l ON l._id = t._id`,
  );
  const own = `SELECT * FROM ${loaded} WHERE ${isIn('_id', ids)}`;
  return { missing, all: `${own} UNION ALL ${missing}` };
}

function joined(source: string, staged: StagedLines): string {
  return `${source} f FULL JOIN ${stagedSql(staged)} s ON f._id = s.c0`;
}

function stagedValues(
  layout: FileLayout,
  staged: StagedLines,
  first: number,
  isStaged: string,
): string[] {
  const values = lineValues(layout, staged, first);
  return layout.columns.map(
    ({ name }, index) =>
      `CASE WHEN ${isStaged} THEN ${values[index] ?? 'NULL'} ELSE f.${quoted(name)} END`,
  );
}
