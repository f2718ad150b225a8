import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/text-query';
import { counterLock } from '../datagrids/counter-lock-sql';
import { DatagridViewEntity } from './view.entity';

/** A removed column that the filter or the sort order of a view names. */
export interface RemovedColumn {
  readonly id: number;
  /** The key that the column had. */
  readonly key: string;
}

/** Identifies a view of an account. */
export interface ViewRef {
  readonly accountId: string;
  readonly datagridId: string;
  readonly id: string;
}

/** A view as it is stored. */
export type NewView = Omit<DatagridViewEntity, 'createdAt' | 'updatedAt' | 'version'>;

export type ViewRecord = Omit<DatagridViewEntity, 'nameKey'> & {
  readonly removed: readonly RemovedColumn[];
};

/** Selects view `v` of datagrid `$1`. */
const VIEW = `
  v.datagrid_id AS "datagridId", v.id, v.name, v.filter, v.sort, v.q, v.columns,
  v.group_column_id AS "groupColumnId", v.group_bucket AS "groupBucket",
  v.color_column_id AS "colorColumnId", v.query_column_ids AS "queryColumnIds", v.created_at AS "createdAt",
  v.updated_at AS "updatedAt", v.version, (
    SELECT coalesce(json_agg(json_build_object('id', k.id, 'key', k.key)), '[]')
    FROM datagrid_columns k
    WHERE k.datagrid_id = $1 AND k.removed_at IS NOT NULL AND k.id = ANY(v.query_column_ids)
  ) AS removed`;

const FIND: Statement = {
  name: 'view-find',
  text: `
    SELECT ${VIEW}
    FROM datagrid_views v JOIN datagrids d ON d.id = v.datagrid_id
    WHERE v.datagrid_id = $1 AND v.id = $2 AND d.id = $1 AND d.account_id = $3
      AND d.deleted_at IS NULL`,
};

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'view-list',
  text: `
    SELECT t.total, p.*
    FROM (SELECT count(*) AS total FROM datagrid_views WHERE datagrid_id = $1) t
    LEFT JOIN (
      SELECT ${VIEW} FROM datagrid_views v WHERE v.datagrid_id = $1
      ORDER BY v.id OFFSET $2 LIMIT $3
    ) p ON true
    ORDER BY p.id`,
};

/** Serializes new views of the datagrid with each other, and with its deletion. */
const HOLD_DATAGRID: Statement = {
  name: 'view-hold-datagrid',
  text: `
    SELECT id FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
    FOR UPDATE`,
};

const LOCK: Statement = {
  name: 'view-lock',
  ...counterLock('SELECT id FROM datagrid_views WHERE datagrid_id = $1 AND id = $2 FOR UPDATE'),
};

type Listed = { readonly total: number } & (ViewRecord | { readonly id: null });

/** Views of datagrids. Every statement names the datagrid. */
@Injectable()
export class ViewRepository {
  constructor(private readonly database: Database) {}

  /** @returns `null` if the account has no such datagrid, or the datagrid no such view. */
  async find(accountId: string, datagridId: string, id: string): Promise<ViewRecord | null> {
    const [found] = await this.database.run<ViewRecord>(FIND, [datagridId, id, accountId]);
    return found ?? null;
  }

  /** Returns one page of views, oldest first, and the total. The datagrid must be the account's. */
  async list(datagridId: string, { page, limit }: PageRequest): Promise<[ViewRecord[], number]> {
    const values = [datagridId, (page - 1) * limit, limit];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  /**
   * Locks the datagrid until the end of the transaction.
   * @returns whether there is such a datagrid.
   */
  async holdDatagrid(accountId: string, datagridId: string): Promise<boolean> {
    return (await this.database.run(HOLD_DATAGRID, [datagridId, accountId])).length > 0;
  }

  async count(datagridId: string): Promise<number> {
    return this.database.repository(DatagridViewEntity).countBy({ datagridId });
  }

  async insert(view: NewView): Promise<void> {
    await this.database.repository(DatagridViewEntity).insert(view);
  }

  /**
   * Locks a view until the end of the transaction. Runs as its own statement so that later
   * statements see changes committed while it waited.
   */
  async lock(datagridId: string, id: string): Promise<void> {
    await this.database.run(LOCK, [datagridId, id]);
  }

  /** Requires the lock. */
  async update(
    datagridId: string,
    id: string,
    change: Partial<Omit<NewView, 'id' | 'datagridId'>>,
  ): Promise<void> {
    await this.database
      .repository(DatagridViewEntity)
      .update({ datagridId, id }, { ...change, ...NEXT_VERSION });
  }

  /** Requires the lock. */
  async delete(datagridId: string, id: string): Promise<void> {
    await this.database.repository(DatagridViewEntity).delete({ datagridId, id });
  }
}
