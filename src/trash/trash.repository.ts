import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { MAX_LISTED_JOBS } from '../platform/background/job-turns';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { TrashKind } from './dto/trash-item.dto';

/**
 * Selects the items of the trash that fulfill a condition. Datagrids deleted with their workspace
 * are not items.
 */
const trash = (condition: string): string => `
  SELECT 'workspace' AS kind, id, account_id, NULL::uuid AS workspace_id, name, deleted_at
  FROM workspaces WHERE deleted_at IS NOT NULL AND ${condition}
  UNION ALL
  SELECT 'datagrid', id, account_id, workspace_id, name, deleted_at
  FROM datagrids WHERE deleted_at IS NOT NULL AND deleted_with IS NULL AND ${condition}`;

/** Reads the total and the page in one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'trash-list',
  text: `
    WITH trash AS (${trash('account_id = $1')})
    SELECT t.total, l.kind, l.id, l.workspace_id AS "workspaceId", l.name,
      l.deleted_at AS "deletedAt"
    FROM (SELECT count(*) AS total FROM trash) t
    LEFT JOIN LATERAL (
      SELECT * FROM trash ORDER BY deleted_at DESC, id DESC OFFSET $2 LIMIT $3
    ) l ON true
    ORDER BY l.deleted_at DESC, l.id DESC`,
};

/**
 * Also finds a datagrid deleted with its workspace: restoring or purging it returns 409, not 404.
 */
const FIND_KIND: Statement = {
  name: 'trash-find-kind',
  text: `
    SELECT 'workspace' AS kind FROM workspaces
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL
    UNION ALL
    SELECT 'datagrid' FROM datagrids
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL`,
};

const LIST_EXPIRED: Statement = {
  name: 'trash-list-expired',
  text: `
    SELECT kind, id, "accountId"
    FROM (
      SELECT kind, id, account_id AS "accountId",
        row_number() OVER (PARTITION BY account_id ORDER BY deleted_at, id) AS place
      FROM (${trash('deleted_at < now() - make_interval(secs => $1)')}) t
    ) expired
    WHERE place <= ${String(MAX_LISTED_JOBS)}
    ORDER BY place`,
};

export interface TrashRecord {
  readonly kind: TrashKind;
  readonly id: string;
  /** `null` for a workspace. */
  readonly workspaceId: string | null;
  readonly name: string;
  readonly deletedAt: Date;
}

export interface ExpiredItem {
  readonly kind: TrashKind;
  readonly id: string;
  readonly accountId: string;
}

/** Deleted workspaces and datagrids. Every statement except that of the purge names the account. */
@Injectable()
export class TrashRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page, most recently deleted first, and the total. */
  async list(accountId: string, page: PageRequest): Promise<[TrashRecord[], number]> {
    const values = [accountId, (page.page - 1) * page.limit, page.limit];
    const rows = await this.database.run<TrashRecord & { total: number }>(LIST, values);
    return [rows.filter((row) => row.id), rows[0]?.total ?? 0];
  }

  /** Returns the kind of a deleted object; `null` if it is not in the trash. */
  async findKind(accountId: string, id: string): Promise<TrashKind | null> {
    const [found] = await this.database.run<{ kind: TrashKind }>(FIND_KIND, [id, accountId]);
    return found?.kind ?? null;
  }

  /** Lists the oldest items of each account that have been in the trash for `longerThanSeconds`. */
  async listExpired(longerThanSeconds: number): Promise<ExpiredItem[]> {
    return this.database.run<ExpiredItem>(LIST_EXPIRED, [longerThanSeconds]);
  }
}
