import type { IdRange, TargetColumn, TargetTable } from '../destination';
import { quoted } from './postgresql-session.repository';
import { TYPES } from './postgresql-values';

/** Returns definitions of columns, each after a comma. */
export const columnsSql = (columns: readonly TargetColumn[]): string =>
  columns.map(({ name, type }) => `, ${quoted(name)} ${TYPES[type]}`).join('');

/** Returns the names of columns, each after a comma. */
export const namesSql = (columns: readonly TargetColumn[], prefix = ''): string =>
  columns.map(({ name }) => `, ${prefix}${quoted(name)}`).join('');

/**
 * Statements that change the rows of a target table, for its mode of deletions. Lines come from a table
 * `source`, which has each id once.
 */
export interface RowsSql {
  /** Name of the column that the mode adds, for times; `null` if it adds none. */
  readonly column: string | null;
  /** Condition that is true for the rows that the datagrid has. */
  readonly isPresent: string;
  /** Adds the column again that somebody has dropped. */
  addColumn(column: string): string;
  /** Makes the rows of a load unique. `isFirst` if its table will be the target table. */
  complete(load: string, isFirst: boolean): string;
  /** Applies changes. */
  merge(columns: readonly TargetColumn[], source: string): string;
  /** Replaces the rows of a range. */
  replace(columns: readonly TargetColumn[], source: string, range: IdRange): string;
  /**
   * Replaces all rows. Writes only those that differ.
   * @param added Those of the columns that have no values yet.
   */
  takeOver(
    columns: readonly TargetColumn[],
    source: string,
    added: readonly TargetColumn[],
  ): string;
}

/** @param target Quoted name of the target table. */
export function rowsSqlOf({ deletions }: TargetTable, target: string): RowsSql {
  return deletions === 'history' ? new VersionsSql(target) : new PlainSql(target, deletions);
}

const inRange = ({ from, to }: IdRange): string =>
  `t._id BETWEEN ${String(from)} AND ${String(to)}`;

/** One row for each id. Deleted rows are deleted or marked. */
class PlainSql implements RowsSql {
  readonly column: string | null;
  readonly isPresent: string;
  private readonly marks: boolean;

  constructor(
    private readonly target: string,
    deletions: 'delete' | 'mark',
  ) {
    this.marks = deletions === 'mark';
    this.column = this.marks ? '_deleted_at' : null;
    this.isPresent = this.marks ? '_deleted_at IS NULL' : 'true';
  }

  addColumn(column: string): string {
    return `ALTER TABLE ${this.target} ADD COLUMN ${column} timestamptz`;
  }

  complete(load: string): string {
    return `ALTER TABLE ${load} ADD PRIMARY KEY (_id)`;
  }

  merge(columns: readonly TargetColumn[], source: string): string {
    const isOlder = 't._id = s._id AND t._revision <= s._revision AND s._deleted';
    const remove = this.marks
      ? `UPDATE ${this.target} t SET _revision = s._revision, _synced_at = now(),
          _deleted_at = coalesce(t._deleted_at, now()) FROM ${source} s WHERE ${isOlder}`
      : `DELETE FROM ${this.target} t USING ${source} s WHERE ${isOlder}`;
    return `
      ${remove};
      ${this.upsert(columns, source, 'WHERE NOT s._deleted')}
      WHERE t._revision <= EXCLUDED._revision`;
  }

  replace(columns: readonly TargetColumn[], source: string, range: IdRange): string {
    return `
      ${this.removeMissing(source, inRange(range))};
      ${this.upsert(columns, source, '')}`;
  }

  takeOver(columns: readonly TargetColumn[], source: string): string {
    const mark = this.marks ? ', t._deleted_at' : '';
    const difference = `(t._revision${namesSql(columns, 't.')}${mark}) IS DISTINCT FROM
      (EXCLUDED._revision${namesSql(columns, 'EXCLUDED.')}${this.marks ? ', NULL' : ''})`;
    return `
      ${this.removeMissing(source, 'true')};
      ${this.upsert(columns, source, '')} WHERE ${difference}`;
  }

  /** Removes or marks the rows `t` that a table does not have. */
  private removeMissing(source: string, condition: string): string {
    const isMissing = `${condition} AND NOT EXISTS (SELECT FROM ${source} s WHERE s._id = t._id)`;
    return this.marks
      ? `UPDATE ${this.target} t SET _deleted_at = now(), _synced_at = now()
          WHERE t._deleted_at IS NULL AND ${isMissing}`
      : `DELETE FROM ${this.target} t WHERE ${isMissing}`;
  }

  private upsert(columns: readonly TargetColumn[], source: string, condition: string): string {
    const set = columns.map(({ name }) => `, ${quoted(name)} = EXCLUDED.${quoted(name)}`).join('');
    return `
      INSERT INTO ${this.target} AS t (_id, _revision${namesSql(columns)})
      SELECT s._id, s._revision${namesSql(columns, 's.')} FROM ${source} s ${condition}
      ON CONFLICT (_id) DO UPDATE SET _revision = EXCLUDED._revision, _synced_at = now()${set}
        ${this.marks ? ', _deleted_at = NULL' : ''}`;
  }
}

const uniqueSql = (table: string): string =>
  `CREATE UNIQUE INDEX ON ${table} (_id) WHERE _valid_to IS NULL`;

/**
 * All versions of each id, of which at most one is current: mode `history`. `now()` is the time of the
 * transaction, so that a version begins when the one before it ends.
 */
class VersionsSql implements RowsSql {
  readonly column = '_valid_to';
  readonly isPresent = '_valid_to IS NULL';

  constructor(private readonly target: string) {}

  /** Which versions were current is not known anymore, so none is. */
  addColumn(column: string): string {
    return `
      ALTER TABLE ${this.target} ADD COLUMN ${column} timestamptz;
      UPDATE ${this.target} SET ${column} = now();
      ${uniqueSql(this.target)}`;
  }

  complete(load: string, isFirst: boolean): string {
    const key = `ALTER TABLE ${load} ADD PRIMARY KEY (_id, _synced_at, _revision)`;
    return isFirst ? `${uniqueSql(load)}; ${key}` : uniqueSql(load);
  }

  merge(columns: readonly TargetColumn[], source: string): string {
    const isEnded = 't._revision < s._revision OR (t._revision = s._revision AND s._deleted)';
    return `
      UPDATE ${this.target} t SET _valid_to = now() FROM ${source} s
      WHERE t._id = s._id AND t._valid_to IS NULL AND (${isEnded});
      ${this.fill(columns, source, 't._revision = s._revision AND NOT s._deleted')};
      ${this.add(columns, source, 'NOT s._deleted')}`;
  }

  replace(columns: readonly TargetColumn[], source: string, range: IdRange): string {
    return `
      ${this.endOthers(columns, source, inRange(range))};
      ${this.add(columns, source, 'true')}`;
  }

  takeOver(
    columns: readonly TargetColumn[],
    source: string,
    added: readonly TargetColumn[],
  ): string {
    const kept = columns.filter((column) => !added.includes(column));
    return `
      ${this.endOthers(kept, source, 'true')};
      ${this.fill(added, source, 'true')};
      ${this.add(columns, source, 'true')}`;
  }

  /** Ends current versions that a table does not have with these values. */
  private endOthers(columns: readonly TargetColumn[], source: string, condition: string): string {
    return `
      UPDATE ${this.target} t SET _valid_to = now()
      WHERE t._valid_to IS NULL AND ${condition} AND NOT EXISTS (
        SELECT FROM ${source} s WHERE s._id = t._id
          AND (s._revision${namesSql(columns, 's.')}) IS NOT DISTINCT FROM
            (t._revision${namesSql(columns, 't.')}))`;
  }

  /** Writes values into current versions, which stay the same versions. */
  private fill(columns: readonly TargetColumn[], source: string, condition: string): string {
    if (columns.length === 0) return '';
    const set = columns.map(({ name }) => `${quoted(name)} = s.${quoted(name)}`).join(', ');
    return `
      UPDATE ${this.target} t SET ${set} FROM ${source} s
      WHERE t._id = s._id AND t._valid_to IS NULL AND ${condition}
        AND (1${namesSql(columns, 't.')}) IS DISTINCT FROM (1${namesSql(columns, 's.')})`;
  }

  /** Adds versions of rows that have no current one. */
  private add(columns: readonly TargetColumn[], source: string, condition: string): string {
    return `
      INSERT INTO ${this.target} (_id, _revision${namesSql(columns)})
      SELECT s._id, s._revision${namesSql(columns, 's.')} FROM ${source} s
      WHERE ${condition} AND NOT EXISTS (
        SELECT FROM ${this.target} t WHERE t._id = s._id AND t._valid_to IS NULL)`;
  }
}
