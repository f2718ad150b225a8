import type { DeletionMode } from '../destination';
import {
  type CarriedTables,
  epochOfSql,
  type StagedTables,
  storedNames,
  type VersionPrinter,
} from './clickhouse-sql';
import { carryVersionsSql, mergeVersionsSql, replaceVersionsSql } from './clickhouse-versions-sql';

/**
 * Statements that change the rows of a data table, for each mode of deletions. `version` prints the
 * versions of the rows that they write, and `condition` checks the claim.
 */

/**
 * Applies changes.
 * @param version Prints versions of epoch 0.
 * @param hasEpochs Whether rows of the table can have a later one.
 */
export function mergeSql(
  mode: DeletionMode,
  tables: StagedTables,
  version: VersionPrinter,
  condition: string,
  hasEpochs: boolean,
): string {
  if (mode === 'history') return mergeVersionsSql(tables, version(''), condition);
  const merge = mode === 'mark' ? mergeMarksSql : mergeRowsSql;
  const own = version('s._revision');
  return hasEpochs
    ? merge(tables, linesSql(tables), `s._epoch + ${own}`, condition)
    : merge(tables, tables.stage, own, condition);
}

/**
 * Lines with the epoch of the row that the table has. If a range was replaced by older rows, the rows
 * outside of it have an earlier epoch, in which a change must be newer than they are.
 */
function linesSql({ data, stage, given }: StagedTables): string {
  const names = ['_id', '_revision', '_deleted', ...given.map(({ stored }) => stored)];
  return `(
    SELECT ${names.map((name) => `l.${name} AS ${name}`).join(', ')},
      ifNull(e._epoch, toUInt128(0)) AS _epoch
    FROM ${stage} AS l LEFT JOIN (
      SELECT _id, ${epochOfSql('max(_version)')} AS _epoch FROM ${data}
      WHERE _id IN (SELECT _id FROM ${stage}) GROUP BY _id
    ) AS e ON e._id = l._id
  )`;
}

/** Applies changes in mode `delete`. */
function mergeRowsSql(
  { data, given }: StagedTables,
  lines: string,
  version: string,
  condition: string,
): string {
  return `
    INSERT INTO ${data} (_id, _revision, _version, _deleted${storedNames(given)})
    SELECT s._id, s._revision, ${version}, s._deleted${storedNames(given, 's.')}
    FROM ${lines} AS s WHERE ${condition}`;
}

/** Replaces the rows of a range. @param isIn Condition for the ids of the range. */
export function replaceSql(
  mode: DeletionMode,
  tables: StagedTables,
  version: VersionPrinter,
  condition: string,
  isIn: string,
): string {
  return mode === 'history'
    ? replaceVersionsSql(tables, version(''), condition, isIn)
    : replaceRowsSql(tables, version, condition, isIn, mode === 'mark');
}

/** Adds what a mode keeps of a former table to a load. Doing it again changes nothing. */
export function carrySql(
  mode: 'mark' | 'history',
  tables: CarriedTables,
  version: VersionPrinter,
  condition: string,
): string[] {
  return mode === 'history'
    ? carryVersionsSql(tables, version(''), condition)
    : [carryMarksSql(tables, version, condition)];
}

/**
 * Applies changes in mode `mark`. A deleted row keeps its values. One that was never there is stored
 * as deleted, without a mark.
 */
function mergeMarksSql(
  { data, stage, given, all }: StagedTables,
  lines: string,
  version: string,
  condition: string,
): string {
  const values = all.map((column) => {
    const { stored } = column;
    return `, if(s._deleted = 1, t.${stored}, ${given.includes(column) ? `s.${stored}` : 'NULL'})`;
  });
  return `
    INSERT INTO ${data} (_id, _revision, _version, _deleted, _deleted_at${storedNames(all)})
    SELECT s._id, s._revision, ${version}, s._deleted = 1 AND isNull(t._id),
      if(s._deleted = 1 AND isNotNull(t._id), ifNull(t._deleted_at, now64(3, 'UTC')), NULL)
      ${values.join('')}
    FROM ${lines} AS s LEFT JOIN (
      SELECT _id, _deleted_at${storedNames(all)} FROM ${data} FINAL
      WHERE _id IN (SELECT _id FROM ${stage} WHERE _deleted = 1)
    ) AS t ON t._id = s._id
    WHERE ${condition}`;
}

/** Replaces the rows of a range, and deletes or marks its other rows. */
function replaceRowsSql(
  { data, stage, given, all }: StagedTables,
  version: VersionPrinter,
  condition: string,
  isIn: string,
  marks: boolean,
): string {
  const values = all.map((column) => (given.includes(column) ? `, ${column.stored}` : ', NULL'));
  const left = marks
    ? `0, now64(3, 'UTC')${storedNames(all)}`
    : `1, NULL${all.map(() => ', NULL').join('')}`;
  return `
    INSERT INTO ${data} (_id, _revision, _version, _deleted, _deleted_at${storedNames(all)})
    SELECT _id, _revision, ${version('_revision')}, 0, NULL${values.join('')}
    FROM ${stage} WHERE ${condition}
    UNION ALL
    SELECT _id, _revision, ${version('_revision')}, ${left}
    FROM ${data} FINAL
    WHERE ${isIn} AND isNull(_deleted_at) AND _id NOT IN (SELECT _id FROM ${stage})`;
}

/** Adds rows to a load that it lacks, as deleted ones. */
function carryMarksSql(
  { data, load, common, isIn }: CarriedTables,
  version: VersionPrinter,
  condition: string,
): string {
  return `
    INSERT INTO ${load} (_id, _revision, _version, _deleted, _deleted_at
      ${storedNames(common.map(({ to }) => to))})
    SELECT _id, _revision, ${version('_revision')}, 0,
      ifNull(_deleted_at, now64(3, 'UTC'))${storedNames(common.map(({ from }) => from))}
    FROM ${data} FINAL
    WHERE ${isIn} AND _id NOT IN (SELECT _id FROM ${load} WHERE ${isIn}) AND ${condition}`;
}
