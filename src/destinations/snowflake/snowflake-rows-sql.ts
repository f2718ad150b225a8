import type { DeletionMode, IdRange, TargetColumn } from '../destination';
import { convertedSql, definitionsSql, nameOf, namesSql, quoted } from './snowflake-sql';

/** Statements that change the rows of a table with rows, for each mode of deletions. */

/** Lines in a table `stage`, which has each id once, and the table that they change. */
export interface StagedLines {
  readonly target: string;
  readonly stage: string;
  readonly columns: readonly TargetColumn[];
  /** SQL of one time for all statements of a step. */
  readonly now: string;
}

/** Name of the column that a mode adds; `null` if it adds none. */
export const MODE_COLUMNS = { delete: null, mark: '_DELETED_AT', history: '_VALID_TO' } as const;

/** Returns a condition that is true for the rows that the datagrid has. */
export function isPresentSql(mode: DeletionMode): string {
  const column = MODE_COLUMNS[mode];
  return column === null ? 'TRUE' : `"${column}" IS NULL`;
}

/** Returns the definitions of all columns of a table with rows. */
export function tableSql(mode: DeletionMode, columns: readonly TargetColumn[]): string {
  const column = MODE_COLUMNS[mode];
  return `"_ID" NUMBER(19, 0) NOT NULL, "_REVISION" NUMBER(19, 0) NOT NULL
    ${definitionsSql(columns)}, "_SYNCED_AT" TIMESTAMP_TZ(3)
    ${column === null ? '' : `, "${column}" TIMESTAMP_TZ(3)`}`;
}

/** Applies changes. */
export function mergeSql(mode: DeletionMode, lines: StagedLines): string[] {
  if (mode === 'history') return mergeVersionsSql(lines);
  const { target, stage, now } = lines;
  const isOlder = `t."_ID" = s."_ID" AND t."_REVISION" <= s."_REVISION"`;
  const mark = `UPDATE ${target} t SET "_REVISION" = s."_REVISION", "_SYNCED_AT" = ${now},
      "_DELETED_AT" = COALESCE(t."_DELETED_AT", ${now})
    FROM ${stage} s WHERE s."_DELETED" AND ${isOlder}`;
  const which = mode === 'mark' ? ' AND NOT s."_DELETED"' : '';
  return [
    ...(mode === 'mark' ? [mark] : []),
    `DELETE FROM ${target} t USING ${stage} s WHERE ${isOlder}${which}`,
    addSql(lines, 'NOT s."_DELETED"'),
  ];
}

/** Replaces the rows of a range by those of a load's lines. */
export function replaceSql(mode: DeletionMode, lines: StagedLines, range: IdRange): string[] {
  if (mode === 'history') return replaceVersionsSql(lines, range);
  const { target, stage, now } = lines;
  const staged = `"_ID" IN (SELECT "_ID" FROM ${stage})`;
  const mark = `UPDATE ${target} SET "_DELETED_AT" = ${now}, "_SYNCED_AT" = ${now}
    WHERE "_DELETED_AT" IS NULL AND ${isIn(range)} AND NOT ${staged}`;
  return [
    ...(mode === 'mark' ? [mark] : []),
    `DELETE FROM ${target} WHERE ${mode === 'mark' ? staged : `(${isIn(range)} OR ${staged})`}`,
    addSql(lines, 'TRUE'),
  ];
}

const isIn = ({ from, to }: IdRange, prefix = ''): string =>
  `${prefix}"_ID" BETWEEN ${String(from)} AND ${String(to)}`;

/** Adds rows that have none, or none that fulfills a condition. */
function addSql(
  { target, stage, columns, now }: StagedLines,
  condition: string,
  isCounted = 'TRUE',
): string {
  return `INSERT INTO ${target} ("_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT")
    SELECT s."_ID", s."_REVISION"${namesSql(columns, 's.')}, ${now}
    FROM ${stage} s LEFT JOIN ${target} t ON t."_ID" = s."_ID" AND ${isCounted}
    WHERE t."_ID" IS NULL AND ${condition}`;
}

const IS_CURRENT = 't."_VALID_TO" IS NULL';

function mergeVersionsSql(lines: StagedLines): string[] {
  const { target, stage, columns, now } = lines;
  const isSame = `t."_ID" = s."_ID" AND ${IS_CURRENT}`;
  const set = columns.map(({ name }) => `${quoted(name)} = s.${quoted(name)}`).join(', ');
  const fill = `UPDATE ${target} t SET ${set} FROM ${stage} s
    WHERE ${isSame} AND t."_REVISION" = s."_REVISION" AND NOT s."_DELETED"
      AND NOT (${areEqual(valuesOf(columns))})`;
  return [
    `UPDATE ${target} t SET "_VALID_TO" = ${now} FROM ${stage} s
      WHERE ${isSame} AND (t."_REVISION" < s."_REVISION"
        OR (t."_REVISION" = s."_REVISION" AND s."_DELETED"))`,
    ...(columns.length > 0 ? [fill] : []),
    addSql(lines, 'NOT s."_DELETED"', IS_CURRENT),
  ];
}

function replaceVersionsSql(lines: StagedLines, range: IdRange): string[] {
  const { target, stage, columns, now } = lines;
  // Somebody may have added a second current version of a row.
  const others = `SELECT t."_ID" FROM ${target} t LEFT JOIN ${stage} s
      ON s."_ID" = t."_ID" AND s."_REVISION" = t."_REVISION" AND ${areEqual(valuesOf(columns))}
    WHERE ${isIn(range, 't.')} AND ${IS_CURRENT}
    GROUP BY t."_ID" HAVING COUNT(*) > 1 OR COUNT(s."_ID") = 0`;
  return [
    `UPDATE ${target} SET "_VALID_TO" = ${now}
      WHERE ${isIn(range)} AND "_VALID_TO" IS NULL AND "_ID" IN (${others})`,
    addSql(lines, 'TRUE', IS_CURRENT),
  ];
}

const valuesOf = (columns: readonly TargetColumn[]): (readonly [string, string])[] =>
  columns.map(({ name }) => [`t.${quoted(name)}`, `s.${quoted(name)}`]);

const areEqual = (pairs: readonly (readonly [string, string])[]): string =>
  ['TRUE', ...pairs.map(([one, other]) => `${one} IS NOT DISTINCT FROM ${other}`)].join(' AND ');

/** A table with rows and a load that will take its place. */
export interface TakenOver {
  readonly target: string;
  readonly load: string;
  readonly columns: readonly TargetColumn[];
  /** Columns of the table with rows. */
  readonly former: readonly TargetColumn[];
  /** Names of the columns that it has. */
  readonly names: ReadonlySet<string>;
  /** SQL of one time for all statements. */
  readonly now: string;
}

/**
 * Adds what a mode keeps of a table with rows to a load. The rows that it adds have a value in the
 * column of the mode. The rows of the load have none.
 */
export function keepSql(mode: 'mark' | 'history', given: TakenOver): string[] {
  const { target, load, columns, former, names, now } = given;
  const values = columns.map(({ id, type }) => {
    const old = former.find((column) => column.id === id);
    const isPresent = old !== undefined && names.has(nameOf(old.name));
    return isPresent ? convertedSql(`t.${quoted(old.name)}`, old.type, type) : 'NULL';
  });
  if (mode === 'history') return keepVersionsSql(given, values);
  const at = names.has('_DELETED_AT') ? 't."_DELETED_AT"' : 'NULL';
  return [
    `INSERT INTO ${load} ("_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT", "_DELETED_AT")
      SELECT t."_ID", t."_REVISION"${values.map((value) => `, ${value}`).join('')},
        IFF(${at} IS NULL, ${now}, t."_SYNCED_AT"), COALESCE(${at}, ${now})
      FROM ${target} t LEFT JOIN ${load} l ON l."_ID" = t."_ID" WHERE l."_ID" IS NULL`,
  ];
}

/**
 * A current version that has the revision and the values of a loaded row stays the same version.
 * Columns that only one of the two tables has do not count.
 */
function keepVersionsSql(given: TakenOver, values: readonly string[]): string[] {
  const { target, load, columns, former, names, now } = given;
  const common = columns.flatMap(({ id, name, type }) => {
    const old = former.find((column) => column.id === id && column.type === type);
    return old && names.has(nameOf(old.name))
      ? [[`t.${quoted(old.name)}`, `l.${quoted(name)}`] as const]
      : [];
  });
  // If somebody has dropped the column, no version is known to be current.
  const end = names.has('_VALID_TO') ? 't."_VALID_TO"' : now;
  const isKept = `t."_ID" = l."_ID" AND t."_REVISION" = l."_REVISION" AND ${end} IS NULL
    AND ${areEqual(common)}`;
  return [
    `UPDATE ${load} o SET "_SYNCED_AT" = k."AT"
      FROM (SELECT l."_ID", COALESCE(MIN(t."_SYNCED_AT"), ${now}) AS "AT"
        FROM ${load} l LEFT JOIN ${target} t ON ${isKept} GROUP BY l."_ID") k
      WHERE o."_ID" = k."_ID"`,
    `INSERT INTO ${load} ("_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT", "_VALID_TO")
      SELECT t."_ID", t."_REVISION"${values.map((value) => `, ${value}`).join('')},
        t."_SYNCED_AT", COALESCE(${end}, ${now})
      FROM ${target} t LEFT JOIN ${load} l ON ${isKept} AND l."_SYNCED_AT" = t."_SYNCED_AT"
      WHERE l."_ID" IS NULL`,
  ];
}
