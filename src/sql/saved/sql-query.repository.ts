import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../common/paging/page-request';
import { Database } from '../../platform/database/database';
import { NEXT_VERSION } from '../../platform/database/next-version';
import type { Statement } from '../../platform/database/text-query';
import { SqlQueryEntity } from './sql-query.entity';

/** Identifies a saved query. */
export interface SqlQueryRef {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly id: string;
}

export type SqlQueryRecord = Omit<SqlQueryEntity, 'workspace' | 'workspaceId' | 'nameKey'>;

export type NewSqlQuery = Pick<SqlQueryEntity, 'id' | 'workspaceId' | 'name' | 'nameKey' | 'sql'>;

const COLUMNS = `
  q.id, q.name, q.sql, q.created_at AS "createdAt", q.updated_at AS "updatedAt", q.version`;

const FIND: Statement = {
  name: 'sql-query-find',
  text: `
    SELECT ${COLUMNS}
    FROM sql_queries q JOIN workspaces w ON w.id = q.workspace_id
    WHERE q.workspace_id = $1 AND q.id = $2 AND w.account_id = $3 AND w.deleted_at IS NULL`,
};

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'sql-query-list',
  text: `
    SELECT t.total, p.*
    FROM (SELECT count(*) AS total FROM sql_queries WHERE workspace_id = $1) t
    LEFT JOIN (
      SELECT ${COLUMNS} FROM sql_queries q WHERE q.workspace_id = $1
      ORDER BY q.id OFFSET $2 LIMIT $3
    ) p ON true
    ORDER BY p.id`,
};

type Listed = { readonly total: number } & (SqlQueryRecord | { readonly id: null });

/**
 * Saved queries of workspaces. Every statement names the workspace. Only `find` checks the account: call the
 * others for a workspace that was found with it.
 */
@Injectable()
export class SqlQueryRepository {
  constructor(private readonly database: Database) {}

  /** @returns `null` if the account has no such workspace, or the workspace no such query. */
  async find({ accountId, workspaceId, id }: SqlQueryRef): Promise<SqlQueryRecord | null> {
    const [found] = await this.database.run<SqlQueryRecord>(FIND, [workspaceId, id, accountId]);
    return found ?? null;
  }

  /** Returns one page of queries, oldest first, and the total. The workspace must be the account's. */
  async list(workspaceId: string, page: PageRequest): Promise<[SqlQueryRecord[], number]> {
    const values = [workspaceId, (page.page - 1) * page.limit, page.limit];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  async count(workspaceId: string): Promise<number> {
    return this.database.repository(SqlQueryEntity).countBy({ workspaceId });
  }

  async insert(query: NewSqlQuery): Promise<void> {
    await this.database.repository(SqlQueryEntity).insert(query);
  }

  /** Locks a saved query until the end of the transaction. Use inside a transaction. */
  async lock({ workspaceId, id }: SqlQueryRef): Promise<void> {
    await this.database
      .repository(SqlQueryEntity)
      .findOne({ where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async update(
    { workspaceId, id }: SqlQueryRef,
    change: Partial<Omit<NewSqlQuery, 'id' | 'workspaceId'>>,
  ): Promise<void> {
    await this.database
      .repository(SqlQueryEntity)
      .update({ workspaceId, id }, { ...change, ...NEXT_VERSION });
  }

  async delete({ workspaceId, id }: SqlQueryRef): Promise<void> {
    await this.database.repository(SqlQueryEntity).delete({ workspaceId, id });
  }
}
