import type { DeletionMode, IdRange, TargetColumn } from '../destination';
import { convertedSql, DATA_TYPES, namesSql, quoted } from './mysql-sql';

/** Statements that change the rows of a target table, for each mode of deletions. */

/** Lines in a table `stage`, which has each id once, and the table that they change. */
export interface StagedLines {
  readonly target: string;
  readonly stage: string;
  readonly columns: readonly TargetColumn[];
}

/** Name of the column that a mode adds; `null` if it adds none. */
export const MODE_COLUMNS = { delete: null, mark: '_deleted_at', history: '_valid_to' } as const;

/** Returns a condition that is true for the rows that the datagrid has. */
export function isPresentSql(mode: DeletionMode): string {
  const column = MODE_COLUMNS[mode];
  return column === null ? 'TRUE' : `${column} IS NULL`;
}

/** Returns the definitions of the columns of a target table that have no values, and its key. */
export function definitionSql(mode: DeletionMode): string {
  const column = MODE_COLUMNS[mode];
  // Some servers require a primary key.
  const key = mode === 'history' ? '_id, _synced_at, _revision' : '_id';
  return `_id bigint NOT NULL, _revision bigint NOT NULL,
    _synced_at datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)
    ${column === null ? '' : `, ${column} datetime(3) NULL`}, PRIMARY KEY (${key})`;
}

/** Applies changes. */
export function mergeSql(mode: DeletionMode, lines: StagedLines): string[] {
  if (mode === 'history') return mergeVersionsSql(lines);
  const { target, stage } = lines;
  const isOlder = 't._id = s._id AND t._revision <= s._revision';
  const remove =
    mode === 'mark'
      ? `UPDATE ${target} t JOIN ${stage} s ON ${isOlder} SET t._revision = s._revision,
          t._synced_at = NOW(3), t._deleted_at = COALESCE(t._deleted_at, NOW(3))
        WHERE s._deleted`
      : `DELETE t FROM ${target} t JOIN ${stage} s ON ${isOlder} WHERE s._deleted`;
  return [remove, ...upsertSql(mode, lines, `${isOlder} AND NOT s._deleted`, 'NOT s._deleted')];
}

/** Replaces the rows of a range by those of a load's lines. */
export function replaceSql(mode: DeletionMode, lines: StagedLines, range: IdRange): string[] {
  if (mode === 'history') return replaceVersionsSql(lines, range);
  const { target, stage } = lines;
  const isMissing = `${isIn(range)} AND s._id IS NULL`;
  const joined = `${target} t LEFT JOIN ${stage} s ON s._id = t._id`;
  const remove =
    mode === 'mark'
      ? `UPDATE ${joined} SET t._deleted_at = NOW(3), t._synced_at = NOW(3)
        WHERE t._deleted_at IS NULL AND ${isMissing}`
      : `DELETE t FROM ${joined} WHERE ${isMissing}`;
  return [remove, ...upsertSql(mode, lines, 't._id = s._id', 'TRUE')];
}

const isIn = ({ from, to }: IdRange): string => `t._id BETWEEN ${String(from)} AND ${String(to)}`;

/** Updates the rows that match, and inserts those that the target table does not have. */
function upsertSql(
  mode: DeletionMode,
  { target, stage, columns }: StagedLines,
  match: string,
  condition: string,
): string[] {
  const mark = mode === 'mark' ? ', t._deleted_at = NULL' : '';
  const set = columns.map(({ name }) => `, t.${quoted(name)} = s.${quoted(name)}`).join('');
  return [
    `UPDATE ${target} t JOIN ${stage} s ON ${match}
      SET t._revision = s._revision, t._synced_at = NOW(3)${mark}${set}`,
    `INSERT INTO ${target} (_id, _revision${namesSql(columns)})
      SELECT s._id, s._revision${namesSql(columns, 's.')} FROM ${stage} s
      LEFT JOIN ${target} t ON t._id = s._id WHERE t._id IS NULL AND ${condition}`,
  ];
}

/**
 * A version begins when the one before it ends, but `NOW` is the time of a statement. So all statements
 * of a step use the time of the first one.
 */
const SET_NOW = 'SET @datagrid_now = NOW(3)';
const STEP_TIME = 'CAST(@datagrid_now AS DATETIME(3))';

const isCurrent = (id: string): string => `t._id = ${id} AND t._valid_to IS NULL`;

function mergeVersionsSql(lines: StagedLines): string[] {
  const { target, stage, columns } = lines;
  const joined = `${target} t JOIN ${stage} s ON ${isCurrent('s._id')}`;
  const set = columns.map(({ name }) => `t.${quoted(name)} = s.${quoted(name)}`).join(', ');
  const fill = `UPDATE ${joined} SET ${set} WHERE t._revision = s._revision AND NOT s._deleted`;
  return [
    SET_NOW,
    `UPDATE ${joined} SET t._valid_to = ${STEP_TIME}
      WHERE t._revision < s._revision OR (t._revision = s._revision AND s._deleted)`,
    ...(columns.length > 0 ? [fill] : []),
    addSql(lines, 'NOT s._deleted'),
  ];
}

function replaceVersionsSql(lines: StagedLines, range: IdRange): string[] {
  const { target, stage, columns } = lines;
  const values = columns.map(({ name }) => [`t.${quoted(name)}`, `s.${quoted(name)}`] as const);
  // Somebody may have added a second current version of a row.
  const doubled = `SELECT t._id FROM ${target} t WHERE ${isIn(range)} AND t._valid_to IS NULL
    GROUP BY t._id HAVING COUNT(*) > 1`;
  return [
    SET_NOW,
    `UPDATE ${target} t LEFT JOIN ${stage} s
      ON s._id = t._id AND s._revision = t._revision AND ${areEqual(values)}
      LEFT JOIN (${doubled}) d ON d._id = t._id
      SET t._valid_to = ${STEP_TIME}
      WHERE ${isIn(range)} AND t._valid_to IS NULL AND (s._id IS NULL OR d._id IS NOT NULL)`,
    addSql(lines, 'TRUE'),
  ];
}

const areEqual = (pairs: readonly (readonly [string, string])[]): string =>
  ['TRUE', ...pairs.map(([one, other]) => `${one} <=> ${other}`)].join(' AND ');

/** Adds versions of rows that have no current one. */
function addSql({ target, stage, columns }: StagedLines, condition: string): string {
  return `INSERT INTO ${target} (_id, _revision, _synced_at${namesSql(columns)})
    SELECT s._id, s._revision, ${STEP_TIME}${namesSql(columns, 's.')} FROM ${stage} s
    LEFT JOIN ${target} t ON ${isCurrent('s._id')} WHERE t._id IS NULL AND ${condition}`;
}

/** A target table and a load that will take its place. */
export interface TakenOver {
  readonly target: string;
  readonly load: string;
  readonly columns: readonly TargetColumn[];
  /** Columns of the target table. */
  readonly former: readonly TargetColumn[];
  /** Types of the columns that the target table has. */
  readonly types: ReadonlyMap<string, string>;
  /** Creates a table `joined` with the definition of the load, which can take the place of the load. */
  readonly create: string;
  readonly joined: string;
  /** Name of no table. */
  readonly left: string;
}

/**
 * Adds what a mode keeps of the target table to a load. The rows that it adds have a value in the column
 * of the mode. The rows of the load have none.
 */
export function keepSql(mode: DeletionMode, given: TakenOver): string[] {
  if (mode === 'delete') return [];
  const { target, load, columns, former, types } = given;
  const values = columns.map(({ id, type }) => {
    const old = former.find((column) => column.id === id);
    const isPresent = old !== undefined && types.get(old.name) === DATA_TYPES[old.type];
    return isPresent ? convertedSql(`t.${quoted(old.name)}`, old.type, type) : 'NULL';
  });
  if (mode === 'history') return keepVersionsSql(given, values);
  const at = types.has('_deleted_at') ? 't._deleted_at' : 'NULL';
  return [
    `INSERT INTO ${load} (_id, _revision, _synced_at, _deleted_at${namesSql(columns)})
      SELECT ${['t._id', 't._revision'].join(', ')}, IF(${at} IS NULL, NOW(3), t._synced_at),
        COALESCE(${at}, NOW(3))${values.map((value) => `, ${value}`).join('')}
      FROM ${target} t LEFT JOIN ${load} l ON l._id = t._id WHERE l._id IS NULL`,
  ];
}

/**
 * Writes the versions of both tables to another one, which takes the place of the load: to update the
 * times of the load, which are part of its key, takes more than twice as long. A current version that
 * has the revision and the values of a loaded row stays the same version. Columns that only one of the
 * two tables has do not count.
 */
function keepVersionsSql(given: TakenOver, values: readonly string[]): string[] {
  const { target, load, columns, former, types, joined, left } = given;
  const common = columns.flatMap(({ id, name, type }) => {
    const old = former.find((column) => column.id === id && column.type === type);
    return old && types.get(old.name) === DATA_TYPES[type]
      ? [[`t.${quoted(old.name)}`, `l.${quoted(name)}`] as const]
      : [];
  });
  // If somebody has dropped the column, no version is known to be current.
  const end = types.has('_valid_to') ? 't._valid_to' : STEP_TIME;
  const isKept = `t._id = l._id AND t._revision = l._revision AND ${end} IS NULL
    AND l._valid_to IS NULL AND ${areEqual(common)}`;
  return [
    SET_NOW,
    given.create,
    `INSERT INTO ${joined} (_id, _revision, _synced_at${namesSql(columns)})
      SELECT l._id, l._revision,
        COALESCE((SELECT MIN(t._synced_at) FROM ${target} t WHERE ${isKept}), ${STEP_TIME})
        ${namesSql(columns, 'l.')}
      FROM ${load} l WHERE l._valid_to IS NULL`,
    `INSERT INTO ${joined} (_id, _revision, _synced_at, _valid_to${namesSql(columns)})
      SELECT t._id, t._revision, t._synced_at, COALESCE(${end}, ${STEP_TIME})
        ${values.map((value) => `, ${value}`).join('')}
      FROM ${target} t LEFT JOIN ${load} l ON ${isKept} WHERE l._id IS NULL`,
    `RENAME TABLE ${load} TO ${left}, ${joined} TO ${load}`,
    `DROP TABLE ${left}`,
  ];
}
