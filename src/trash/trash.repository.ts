import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { MAX_LISTED_JOBS } from '../platform/background/job-turns';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/statement';
import type { TrashKind } from './trash-kind';

/** What a condition leaves of the trash, without the companions of workspaces. */
const trash = (condition: string): string => `
  SELECT 'workspace' AS kind, id, account_id, NULL::uuid AS workspace_id, name, deleted_at
  FROM workspaces WHERE deleted_at IS NOT NULL AND ${condition}
  UNION ALL
  SELECT 'datagrid', id, account_id, workspace_id, name, deleted_at
  FROM datagrids WHERE deleted_at IS NOT NULL AND deleted_with IS NULL AND ${condition}`;

/** The total and the page are of one snapshot; an empty page is one row without an id. */
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

/** Companions too: what conflicts with them is told, not hidden. */
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

/** What was deleted, of every kind. Every statement but the purger's names the account. */
@Injectable()
export class TrashRepository {
  constructor(private readonly database: Database) {}

  /** A page, the last deleted first, and the number of all. */
  async list(accountId: string, page: PageRequest): Promise<[TrashRecord[], number]> {
    const values = [accountId, (page.page - 1) * page.limit, page.limit];
    const rows = await this.database.run<TrashRecord & { total: number }>(LIST, values);
    return [rows.filter((row) => row.id), rows[0]?.total ?? 0];
  }

  /** What the trash holds under an id; `null` for nothing. */
  async findKind(accountId: string, id: string): Promise<TrashKind | null> {
    const [found] = await this.database.run<{ kind: TrashKind }>(FIND_KIND, [id, accountId]);
    return found?.kind ?? null;
  }

  /** Lists what the trash has held for longer than so many seconds: the oldest items of each account. */
  async listExpired(longerThanSeconds: number): Promise<ExpiredItem[]> {
    return this.database.run<ExpiredItem>(LIST_EXPIRED, [longerThanSeconds]);
  }
}
