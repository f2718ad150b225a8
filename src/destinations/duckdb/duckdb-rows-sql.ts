import type { DeletionMode, IdRange, TargetColumn } from '../destination';
import type { ColumnTypes } from './duckdb-session.repository';
import { csvNames, formerColumns, type LineKind, quoted, targetNames } from './duckdb-sql';

/**
 * Statements that change the rows of a target table, for each mode of deletions. `now()` is the time of
 * the transaction, so that in mode `history` a version begins when the one before it ends.
 */

/** Lines in a table whose columns are named by position, and the table that they change. */
export interface StagedLines {
  readonly target: string;
  readonly stage: string;
  readonly columns: readonly TargetColumn[];
}

/** Applies changes. */
export function mergeSql(mode: DeletionMode, lines: StagedLines): string[] {
  const { target, stage } = lines;
  if (mode === 'history') return mergeVersionsSql(lines);
  const mark = `UPDATE ${target} t
    SET _revision = s.c1, _synced_at = now(), _deleted_at = coalesce(t._deleted_at, now())
    FROM ${stage} s WHERE t._id = s.c0 AND s.c2`;
  return [
    `DELETE FROM ${stage} s USING ${target} t WHERE t._id = s.c0 AND t._revision > s.c1`,
    ...(mode === 'mark' ? [mark] : []),
    `DELETE FROM ${target} t USING ${stage} s
      WHERE t._id = s.c0 ${mode === 'mark' ? 'AND NOT s.c2' : ''}`,
    insertSql(lines, 'changes', 'WHERE NOT s.c2'),
  ];
}

/** Replaces the rows of a range by those of a load's lines. */
export function replaceSql(mode: DeletionMode, lines: StagedLines, range: IdRange): string[] {
  const { target, stage } = lines;
  if (mode === 'history') return replaceVersionsSql(lines, range);
  const remove = `DELETE FROM ${target} t USING ${stage} s WHERE t._id = s.c0`;
  return [
    ...(mode === 'mark' ? [remove] : []),
    ...removeSql(mode, target, range),
    insertSql(lines, 'rows', ''),
  ];
}

/** Removes the rows of a range. */
export function removeSql(mode: DeletionMode, target: string, range: IdRange): string[] {
  switch (mode) {
    case 'delete':
      return [`DELETE FROM ${target} WHERE ${isIn(range)}`];
    case 'mark':
      return [
        `UPDATE ${target} SET _synced_at = now(), _deleted_at = now()
          WHERE ${isIn(range)} AND _deleted_at IS NULL`,
      ];
    case 'history':
      return [`UPDATE ${target} SET _valid_to = now() WHERE ${isIn(range)} AND _valid_to IS NULL`];
  }
}

const isIn = ({ from, to }: IdRange): string => `_id BETWEEN ${String(from)} AND ${String(to)}`;

function insertSql({ target, stage, columns }: StagedLines, kind: LineKind, rest: string): string {
  const values = csvNames(columns, kind).replaceAll('c', 's.c');
  return `INSERT INTO ${target} (${targetNames(columns)}, _synced_at)
    SELECT ${values}, now() FROM ${stage} s ${rest}`;
}

function mergeVersionsSql(lines: StagedLines): string[] {
  const { target, stage, columns } = lines;
  const values = valuesOf(columns, 'changes');
  const set = values.map(([name, value]) => `${name} = ${value}`).join(', ');
  const fill = `UPDATE ${target} t SET ${set} FROM ${stage} s
    WHERE t._id = s.c0 AND t._valid_to IS NULL AND t._revision = s.c1 AND NOT s.c2
      AND NOT (${areEqual(values)})`;
  return [
    `UPDATE ${target} t SET _valid_to = now() FROM ${stage} s
      WHERE t._id = s.c0 AND t._valid_to IS NULL
        AND (t._revision < s.c1 OR (t._revision = s.c1 AND s.c2))`,
    ...(columns.length > 0 ? [fill] : []),
    addSql(lines, 'changes', 'WHERE NOT s.c2'),
  ];
}

function replaceVersionsSql(lines: StagedLines, range: IdRange): string[] {
  const { target, stage, columns } = lines;
  // Somebody may have added a second current version of a row.
  const single = `SELECT _id FROM ${target} WHERE ${isIn(range)} AND _valid_to IS NULL
    GROUP BY _id HAVING count(*) = 1`;
  return [
    `UPDATE ${target} t SET _valid_to = now()
      WHERE ${isIn(range)} AND t._valid_to IS NULL AND NOT (
        t._id IN (${single}) AND EXISTS (
          SELECT 1 FROM ${stage} s WHERE s.c0 = t._id AND s.c1 = t._revision
            AND ${areEqual(valuesOf(columns, 'rows', 't.'))}))`,
    addSql(lines, 'rows', ''),
  ];
}

/** Adds versions of rows that have no current one. */
function addSql(lines: StagedLines, kind: LineKind, condition: string): string {
  const current = `SELECT _id FROM ${lines.target} WHERE _valid_to IS NULL`;
  return insertSql(lines, kind, `ANTI JOIN (${current}) t ON t._id = s.c0 ${condition}`);
}

/** Returns the names of columns, and where lines `s` have their values. */
function valuesOf(
  columns: readonly TargetColumn[],
  kind: LineKind,
  prefix = '',
): (readonly [string, string])[] {
  const names = csvNames(columns, kind).split(', ').slice(2);
  return columns.map(({ name }, index) => [prefix + quoted(name), `s.${names[index] ?? ''}`]);
}

const areEqual = (pairs: readonly (readonly [string, string])[]): string =>
  ['true', ...pairs.map(([one, other]) => `${one} IS NOT DISTINCT FROM ${other}`)].join(' AND ');

/** A target table and a load that will take its place. */
export interface TakenOver {
  readonly target: string;
  readonly loaded: string;
  readonly columns: readonly TargetColumn[];
  /** Columns of the target table. */
  readonly former: readonly TargetColumn[];
  /** Types of the columns that the target table has. */
  readonly types: ColumnTypes;
}

/** Adds the rows of the target table that a load does not have, as deleted ones. */
export function keepMarkedSql({ target, loaded, columns, former, types }: TakenOver): string {
  const values = formerColumns(columns, former, types).map(({ value }) => value);
  const at = types.has('_deleted_at') ? 't._deleted_at' : 'NULL';
  return `INSERT INTO ${loaded} (${targetNames(columns)}, _synced_at, _deleted_at)
    SELECT ${['t._id', 't._revision', ...values].join(', ')},
      CASE WHEN ${at} IS NULL THEN now() ELSE t._synced_at END, coalesce(${at}, now())
    FROM ${target} t ANTI JOIN ${loaded} l ON l._id = t._id`;
}

/**
 * Writes the versions of the target table and of a load to an empty table. A current version that has
 * the revision and the values of a loaded row stays the same version. Columns that only one of the two
 * has do not count.
 */
export function joinVersionsSql(empty: string, given: TakenOver): string[] {
  const { target, loaded, columns, former, types } = given;
  const found = formerColumns(columns, former, types);
  const common = found
    .filter(({ isSame }) => isSame)
    .map(({ column, value }) => [value, `l.${quoted(column.name)}`] as const);
  // If somebody has dropped the column, no version is known to be current. If somebody has added a
  // second current version of a row, one of them stays.
  const end = types.has('_valid_to') ? 't._valid_to' : 'now()';
  const kept = 'temp.main._datagrid_kept';
  const own = columns.map(({ name }) => `, l.${quoted(name)}`).join('');
  const names = `${targetNames(columns)}, _synced_at`;
  const values = ['t._id', 't._revision', ...found.map(({ value }) => value)].join(', ');
  return [
    `CREATE OR REPLACE TEMP TABLE _datagrid_kept AS
      SELECT t._id, min(t._synced_at) AS _synced_at FROM ${target} t
      JOIN ${loaded} l ON t._id = l._id AND t._revision = l._revision
        AND ${end} IS NULL AND ${areEqual(common)}
      GROUP BY t._id`,
    `INSERT INTO ${empty} (${names})
      SELECT l._id, l._revision${own}, coalesce(k._synced_at, now())
      FROM ${loaded} l LEFT JOIN ${kept} k ON k._id = l._id`,
    `INSERT INTO ${empty} (${names}, _valid_to)
      SELECT ${values}, t._synced_at, coalesce(${end}, now())
      FROM ${target} t LEFT JOIN ${kept} k ON k._id = t._id
      WHERE ${end} IS NOT NULL OR k._id IS NULL OR t._synced_at <> k._synced_at`,
    `DROP TABLE ${kept}`,
  ];
}
