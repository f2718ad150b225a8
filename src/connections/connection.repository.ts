import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/text-query';
import { ConnectionEntity } from './connection.entity';

/** A connection without its secret, and with the health of its tables. */
export type ConnectionRecord = Omit<ConnectionEntity, 'workspace' | 'secret'> & {
  readonly hasSecret: boolean;
  /** Tables of datagrids outside the trash. */
  readonly tables: number;
  /** Those whose last run failed. */
  readonly failingTables: number;
  /** Error of the one that failed last; `null` if none fails. */
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  /** Oldest `synced_at` of the tables; `null` if one of them has none, or if there are none. */
  readonly syncedAt: Date | null;
};

export type NewConnection = Pick<
  ConnectionEntity,
  | 'id'
  | 'accountId'
  | 'workspaceId'
  | 'name'
  | 'type'
  | 'settings'
  | 'secret'
  | 'datagridIds'
  | 'deletions'
  | 'intervalSeconds'
  | 'enabled'
>;

export type ConnectionChange = Partial<Omit<NewConnection, 'id' | 'accountId' | 'workspaceId'>>;

/** What is needed to connect to the destination of a connection. */
export type StoredAccess = Pick<ConnectionEntity, 'type' | 'settings' | 'secret'>;

const COLUMNS = `
  c.id, c.account_id AS "accountId", c.workspace_id AS "workspaceId", c.name, c.type, c.settings,
  c.secret IS NOT NULL AS "hasSecret", c.datagrid_ids AS "datagridIds", c.deletions,
  c.interval_seconds AS "intervalSeconds", c.enabled, c.created_at AS "createdAt",
  c.updated_at AS "updatedAt", c.version, health.*`;

/** Health of a connection `c`, over its tables of datagrids outside the trash. */
export const HEALTH = `
  CROSS JOIN LATERAL (
    SELECT count(*) AS tables, count(*) FILTER (WHERE t.failures > 0) AS "failingTables",
      (array_agg(t.last_error ORDER BY t.last_error_at DESC NULLS LAST, t.datagrid_id)
        FILTER (WHERE t.failures > 0))[1] AS "lastError",
      max(t.last_error_at) FILTER (WHERE t.failures > 0) AS "lastErrorAt",
      CASE WHEN bool_and(t.synced_at IS NOT NULL) THEN min(t.synced_at) END AS "syncedAt"
    FROM connection_tables t JOIN datagrids d ON d.id = t.datagrid_id AND d.deleted_at IS NULL
    WHERE t.connection_id = c.id
  ) health`;

const OWN = 'c.workspace_id = $1 AND c.account_id = $2';

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'connection-list',
  text: `
    SELECT t.total, p.*
    FROM (SELECT count(*) AS total FROM connections c WHERE ${OWN}) t
    LEFT JOIN LATERAL (
      SELECT ${COLUMNS} FROM connections c ${HEALTH} WHERE ${OWN}
      ORDER BY c.id OFFSET $3 LIMIT $4
    ) p ON true
    ORDER BY p.id`,
};

const FIND: Statement = {
  name: 'connection-find',
  text: `SELECT ${COLUMNS} FROM connections c ${HEALTH} WHERE ${OWN} AND c.id = $3`,
};

const FIND_TARGET: Statement = {
  name: 'connection-find-target',
  text: `SELECT c.type, c.settings, c.secret FROM connections c WHERE ${OWN} AND c.id = $3`,
};

const LOCK: Statement = {
  name: 'connection-lock',
  text: `SELECT c.id FROM connections c WHERE ${OWN} AND c.id = $3 FOR UPDATE`,
};

const COUNT: Statement = {
  name: 'connection-count',
  text: 'SELECT count(*) AS count FROM connections WHERE account_id = $1',
};

const DELETE: Statement = {
  name: 'connection-delete',
  text: `DELETE FROM connections c WHERE ${OWN} AND c.id = $3`,
};

const UNKNOWN_DATAGRIDS: Statement = {
  name: 'connection-unknown-datagrids',
  text: `
    SELECT chosen.id FROM unnest($3::uuid[]) AS chosen(id)
    WHERE NOT EXISTS (
      SELECT FROM datagrids d WHERE d.id = chosen.id AND d.workspace_id = $1 AND d.account_id = $2
        AND d.deleted_at IS NULL
    )`,
};

type Listed = { readonly total: number } & (ConnectionRecord | { readonly id: null });

/** Every statement names the account, or a connection that was found with it. */
@Injectable()
export class ConnectionRepository {
  constructor(private readonly database: Database) {}

  async insert(connection: NewConnection): Promise<void> {
    // TypeORM's type of a JSON column requires a type with its own index signature.
    const { settings, ...others } = connection;
    await this.database
      .repository(ConnectionEntity)
      .insert({ ...others, settings: { ...settings } as object });
  }

  async count(accountId: string): Promise<number> {
    return (await this.database.run<{ count: number }>(COUNT, [accountId]))[0]?.count ?? 0;
  }

  /** Returns one page of connections, oldest first, and the total. */
  async list(
    accountId: string,
    workspaceId: string,
    { page, limit }: PageRequest,
  ): Promise<[ConnectionRecord[], number]> {
    const values = [workspaceId, accountId, (page - 1) * limit, limit];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  async find(accountId: string, workspaceId: string, id: string): Promise<ConnectionRecord | null> {
    const values = [workspaceId, accountId, id];
    return (await this.database.run<ConnectionRecord>(FIND, values))[0] ?? null;
  }

  /** Returns what is needed to connect to the destination, with the secret as it is stored. */
  async findAccess(
    accountId: string,
    workspaceId: string,
    id: string,
  ): Promise<StoredAccess | null> {
    const values = [workspaceId, accountId, id];
    return (await this.database.run<StoredAccess>(FIND_TARGET, values))[0] ?? null;
  }

  /** Locks a connection until the end of the transaction. @returns whether there is one. */
  async lock(accountId: string, workspaceId: string, id: string): Promise<boolean> {
    return (await this.database.run(LOCK, [workspaceId, accountId, id])).length > 0;
  }

  /** Requires the lock. */
  async update(id: string, change: ConnectionChange): Promise<void> {
    const { settings, ...others } = change;
    await this.database.repository(ConnectionEntity).update(
      { id },
      {
        ...others,
        ...(settings !== undefined && { settings: { ...settings } as object }),
        ...NEXT_VERSION,
      },
    );
  }

  /** Deletes a connection with its tables and runs. Requires the lock. */
  async delete(accountId: string, workspaceId: string, id: string): Promise<void> {
    await this.database.run(DELETE, [workspaceId, accountId, id]);
  }

  /** Returns those ids that are not of datagrids of the workspace outside the trash. */
  async listUnknownDatagrids(
    accountId: string,
    workspaceId: string,
    datagridIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const values = [workspaceId, accountId, datagridIds];
    const rows = await this.database.run<{ id: string }>(UNKNOWN_DATAGRIDS, values);
    return new Set(rows.map(({ id }) => id));
  }
}
