import type { IdRange, TargetColumn } from '../destination';
import { convertedSql, literal, quoted, SYSTEM_TYPES, typeOf } from '../duckdb/duckdb-sql';

/** The columns of Parquet files. */
export interface Layout {
  readonly columns: readonly TargetColumn[];
  /** Whether deleted rows are marked. */
  readonly marks: boolean;
  /** Field ids by name, in the form of an object, which can be sent. */
  readonly fieldIds: readonly (readonly [string, number])[];
}

/** Expressions of the columns of a result, and whether a row belongs to it. */
interface Expressions {
  readonly id: string;
  readonly revision: string;
  readonly values: readonly string[];
  readonly syncedAt: string;
  readonly deletedAt: string;
  readonly condition?: string;
}

/** Lines with the ids of one range. Their values are named by position, as `readCsvSql` does. */
export interface StagedLines {
  readonly columns: readonly TargetColumn[];
  readonly ids: IdRange;
}

export const STAGE = 'temp.main._datagrid_stage';

/** Compresses better than the default, at about the speed of it. */
const COMPRESSION = 'zstd';

/** Returns the types of all columns by name, as DuckDB names them. */
export function layoutTypes({ columns, marks }: Layout): ReadonlyMap<string, string> {
  return new Map([
    ['_id', SYSTEM_TYPES._id],
    ['_revision', SYSTEM_TYPES._revision],
    ...columns.map((column): [string, string] => [column.name, typeOf(column)]),
    ['_synced_at', SYSTEM_TYPES._synced_at],
    ...(marks ? [['_deleted_at', SYSTEM_TYPES._deleted_at] as const] : []),
  ]);
}

/** Returns a SELECT of the columns of a layout. */
export function selectSql(layout: Layout, of: Expressions, source: string): string {
  const { columns, marks } = layout;
  const expressions = [
    [of.id, '_id', SYSTEM_TYPES._id],
    [of.revision, '_revision', SYSTEM_TYPES._revision],
    ...columns.map((column, index) => [of.values[index] ?? 'NULL', column.name, typeOf(column)]),
    [of.syncedAt, '_synced_at', SYSTEM_TYPES._synced_at],
    ...(marks ? [[of.deletedAt, '_deleted_at', SYSTEM_TYPES._deleted_at]] : []),
  ].map(([value = '', name = '', type = '']) => `CAST(${value} AS ${type}) AS ${quoted(name)}`);
  const condition = of.condition === undefined ? '' : `WHERE ${of.condition}`;
  return `SELECT ${expressions.join(', ')} FROM ${source} ${condition}`;
}

/** Returns the rows of a source after the staged changes. A row with a higher revision stays. */
export function appliedSql(source: string, staged: StagedLines, layout: Layout): string {
  const applies = '(s.c0 IS NOT NULL AND (f._id IS NULL OR s.c1 >= f._revision))';
  const sets = `(${applies} AND NOT s.c2)`;
  const isDeleted = layout.marks
    ? `(${applies} AND s.c2 AND f._id IS NULL)`
    : `(${applies} AND s.c2)`;
  return selectSql(
    layout,
    {
      id: 'coalesce(f._id, s.c0)',
      revision: `CASE WHEN ${applies} THEN s.c1 ELSE f._revision END`,
      values: stagedValues(layout, staged, 3, sets),
      syncedAt: `CASE WHEN ${applies} THEN now() ELSE f._synced_at END`,
      deletedAt: `CASE WHEN NOT ${applies} THEN f._deleted_at
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
  layout: Layout,
): string {
  const lines = staged ?? { columns: layout.columns, ids: null };
  const isStaged = staged === null ? 'false' : '(s.c0 IS NOT NULL)';
  const isInRange =
    range === null ? 'false' : `(f._id BETWEEN ${String(range.from)} AND ${String(range.to)})`;
  const marked = layout.marks ? `WHEN ${isInRange} AND f._deleted_at IS NULL THEN now()` : '';
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
      deletedAt: `CASE WHEN ${isStaged} THEN NULL ${marked} ELSE f._deleted_at END`,
      ...(!layout.marks && { condition: `${isStaged} OR NOT ${isInRange}` }),
    },
    lines.ids === null ? `${source} f` : joined(source, lines),
  );
}

/** Rows of a load, and those that only the former files have. */
export interface KeptMarked {
  /** Only the rows that the load lacks. */
  readonly missing: string;
  readonly all: string;
}

/** Returns the rows of a load, and those that only the former files have, as deleted ones. */
export function keptMarkedSql(
  loaded: string,
  former: readonly string[],
  from: Layout,
  ids: IdRange,
  layout: Layout,
): KeptMarked {
  const types = layoutTypes(from);
  const values = layout.columns.map((column) => {
    const old = from.columns.find(({ id }) => id === column.id);
    if (old === undefined) return 'NULL';
    const type = types.get(old.name) ?? '';
    if (type === typeOf(column)) return `f.${quoted(old.name)}`;
    const text = convertedSql(`f.${quoted(old.name)}`, type, { ...column, type: 'text' });
    return `TRY_CAST(${text} AS ${typeOf(column)})`;
  });
  const at = from.marks ? 'f._deleted_at' : 'NULL';
  const all = former.map((source) => `SELECT * FROM ${source}`).join(' UNION ALL ');
  const missing = selectSql(
    layout,
    {
      id: 'f._id',
      revision: 'f._revision',
      values,
      syncedAt: `CASE WHEN ${at} IS NULL THEN now() ELSE f._synced_at END`,
      deletedAt: `coalesce(${at}, now())`,
      condition: `f._id BETWEEN ${String(ids.from)} AND ${String(ids.to)}`,
    },
    `(${all}) f ANTI JOIN ${loaded} l ON l._id = f._id`,
  );
  const { from: first, to: last } = ids;
  const own = `SELECT * FROM ${loaded} WHERE _id BETWEEN ${String(first)} AND ${String(last)}`;
  return { missing, all: `${own} UNION ALL ${missing}` };
}

/** Returns a statement that writes rows to a file in order of their ids, and returns statistics. */
export function copySql(select: string, path: string, layout: Layout): string {
  const types = layoutTypes(layout);
  const ids = layout.fieldIds
    .filter(([name]) => types.has(name))
    .map(([name, id]) => `${quoted(name)}: ${String(id)}`);
  return `COPY (FROM (${select}) ORDER BY _id) TO ${literal(path)} (
    FORMAT parquet, COMPRESSION ${COMPRESSION}, FIELD_IDS {${ids.join(', ')}}, RETURN_STATS)`;
}

function joined(source: string, { ids }: StagedLines): string {
  return `${source} f FULL JOIN (
    FROM ${STAGE} WHERE c0 BETWEEN ${String(ids.from)} AND ${String(ids.to)}
  ) s ON f._id = s.c0`;
}

/** @param first Number of columns before the values of a line. */
function stagedValues(
  layout: Layout,
  { columns }: StagedLines,
  first: number,
  isStaged: string,
): string[] {
  return layout.columns.map(({ id, name }) => {
    const index = columns.findIndex((column) => column.id === id);
    const value = index === -1 ? 'NULL' : `s.c${String(first + index)}`;
    return `CASE WHEN ${isStaged} THEN ${value} ELSE f.${quoted(name)} END`;
  });
}
