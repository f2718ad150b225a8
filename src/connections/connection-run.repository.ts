import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { ConnectionRunEntity } from './connection.entity';

export type RunRecord = Omit<ConnectionRunEntity, 'connectionId' | 'connection'>;

const CHOSEN = 'connection_id = $1 AND ($2::uuid IS NULL OR datagrid_id = $2)';

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'connection-run-list',
  text: `
    SELECT n.total, p.*
    FROM (SELECT count(*) AS total FROM connection_runs WHERE ${CHOSEN}) n
    LEFT JOIN LATERAL (
      SELECT id, datagrid_id AS "datagridId", started_at AS "startedAt", ended_at AS "endedAt",
        rows, bytes, revision, error
      FROM connection_runs WHERE ${CHOSEN}
      ORDER BY id DESC OFFSET $3 LIMIT $4
    ) p ON true
    ORDER BY p.id DESC`,
};

type Listed = { readonly total: number } & (RunRecord | { readonly id: null });

/** The log of runs. The caller has found the connection with its account. */
@Injectable()
export class ConnectionRunRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns one page of runs, newest first, and the total.
   * @param datagridId Only runs of this datagrid; `null` for all.
   */
  async list(
    connectionId: string,
    datagridId: string | null,
    { page, limit }: PageRequest,
  ): Promise<[RunRecord[], number]> {
    const values = [connectionId, datagridId, (page - 1) * limit, limit];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }
}
