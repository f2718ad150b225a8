import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { COLUMN_TYPE_NAMES, type ColumnType, isComputed } from '../column-type/column-type';
import type { ColumnOptions } from '../column-type/descriptor';

const COMPUTED_TYPES = COLUMN_TYPE_NAMES.filter(isComputed)
  .map((type) => `'${type}'`)
  .join(', ');

const LIST: Statement = {
  name: 'computed-column-list',
  text: `
    SELECT id, key, type, options FROM datagrid_columns
    WHERE datagrid_id = $1 AND removed_at IS NULL AND type IN (${COMPUTED_TYPES}) ORDER BY id`,
};

/** Finds columns by their ids, also removed ones. Can return others of the datagrids in addition. */
const FIND: Statement = {
  name: 'computed-column-sources',
  text: `
    SELECT k.datagrid_id AS "datagridId", k.id, k.key, k.type,
      k.options ->> 'datagridId' AS "targetId",
      k.removed_at IS NULL AND d.deleted_at IS NULL AS "isPresent"
    FROM datagrid_columns k JOIN datagrids d ON d.id = k.datagrid_id
    WHERE k.datagrid_id = ANY($1::uuid[]) AND k.id = ANY($2::int[]) AND d.account_id = $3`,
};

/** Citus cannot read the columns in the statement that updates a reference table. */
const MARK: Statement = {
  name: 'computed-column-mark',
  text: 'UPDATE datagrids SET has_computed = $2 WHERE id = $1',
};

/** A column whose values are computed. */
export interface ComputedRecord {
  readonly id: number;
  readonly key: string;
  readonly type: ColumnType;
  /** As stored, with ids. */
  readonly options: ColumnOptions;
}

/** A column that computed columns read. */
export interface SourceColumn {
  readonly datagridId: string;
  readonly id: number;
  readonly key: string;
  readonly type: ColumnType;
  /** Datagrid that the column links to; `null` if it is no link. */
  readonly targetId: string | null;
  /** Whether neither the column nor its datagrid is removed. */
  readonly isPresent: boolean;
}

/** Columns whose values are computed, and the columns that they read. */
@Injectable()
export class ComputedColumnRepository {
  constructor(private readonly database: Database) {}

  /** Returns the computed columns of a datagrid that are not removed. */
  async list(datagridId: string): Promise<ComputedRecord[]> {
    return this.database.run<ComputedRecord>(LIST, [datagridId]);
  }

  /** Returns columns of datagrids of the account, also of those in the trash. */
  async findSources(
    accountId: string,
    datagridIds: readonly string[],
    ids: readonly number[],
  ): Promise<SourceColumn[]> {
    return this.database.run<SourceColumn>(FIND, [datagridIds, ids, accountId]);
  }

  /** Records whether a datagrid has computed columns. Call it under its lock, with a new version. */
  async mark(datagridId: string): Promise<void> {
    const computed = await this.list(datagridId);
    await this.database.run(MARK, [datagridId, computed.length > 0]);
  }
}
