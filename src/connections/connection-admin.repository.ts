import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { DestinationType } from '../destinations/destination';
import { type ConnectionRecord, HEALTH } from './connection.repository';

/** A connection as operators see it: without its name, which is its account's, and its settings. */
export type OperatedConnection = Pick<
  ConnectionRecord,
  | 'id'
  | 'accountId'
  | 'workspaceId'
  | 'enabled'
  | 'tables'
  | 'failingTables'
  | 'lastErrorAt'
  | 'lastError'
  | 'syncedAt'
> & {
  readonly type: DestinationType;
  /** Scheduled imports of datagrids outside the trash. */
  readonly imports: number;
  /** Those whose last run failed. */
  readonly failingImports: number;
};

/** Connections that a list has. An absent property restricts nothing. */
export interface ConnectionFilter {
  readonly account?: string;
  readonly workspace?: string;
  /** Only enabled ones with a table or a scheduled import whose last run failed. */
  readonly failing?: boolean;
}

/** A connection that was paused. */
export type PausedConnection = Pick<ConnectionRecord, 'id' | 'accountId' | 'name'>;

const LIST: Statement = {
  name: 'connection-admin-list',
  text: `
    SELECT c.id, c.account_id AS "accountId", c.workspace_id AS "workspaceId", c.type, c.enabled,
      health.*, imported.*, count(*) OVER () AS total
    FROM connections c ${HEALTH}
    CROSS JOIN LATERAL (
      SELECT count(*) AS imports, count(*) FILTER (WHERE i.failures > 0) AS "failingImports"
      FROM scheduled_imports i
      JOIN datagrids d ON d.id = i.datagrid_id AND d.deleted_at IS NULL
      WHERE i.connection_id = c.id
    ) imported
    WHERE ($1::uuid IS NULL OR c.account_id = $1) AND ($2::uuid IS NULL OR c.workspace_id = $2)
      AND (NOT $3::boolean OR (c.enabled AND health."failingTables" + "failingImports" > 0))
    ORDER BY c.enabled DESC, health."failingTables" + "failingImports" = 0, health."syncedAt" NULLS FIRST, c.id
    LIMIT $4`,
};

/** As a change of a user does: workers in progress lose their claims when the tables restart. */
const PAUSE: Statement = {
  name: 'connection-admin-pause',
  text: `
    UPDATE connections c SET enabled = false, version = c.version + 1, updated_at = now()
    WHERE c.enabled AND ($1::uuid IS NULL OR c.id = $1) AND ($2::uuid IS NULL OR c.account_id = $2)
    RETURNING c.id, c.account_id AS "accountId", c.name`,
};

const EXISTS: Statement = {
  name: 'connection-admin-exists',
  text: 'SELECT FROM connections c WHERE c.id = $1',
};

/** Connections of all accounts, for operators only. */
@Injectable()
export class ConnectionAdminRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists connections, those first that fail and that were complete the longest time ago, paused ones
   * last; and their total.
   */
  async list(
    { account, workspace, failing = false }: ConnectionFilter,
    limit: number,
  ): Promise<[OperatedConnection[], number]> {
    const values = [account ?? null, workspace ?? null, failing, limit];
    const found = await this.database.run<OperatedConnection & { total: number }>(LIST, values);
    return [found, found[0]?.total ?? 0];
  }

  /** Pauses a connection, or all of an account, or all. @returns those that were enabled. */
  async pause(id: string | null, accountId: string | null): Promise<PausedConnection[]> {
    return this.database.run<PausedConnection>(PAUSE, [id, accountId]);
  }

  async exists(id: string): Promise<boolean> {
    return (await this.database.run(EXISTS, [id])).length > 0;
  }
}
