import { Injectable } from '@nestjs/common';
import type { Quota } from '../../auth/quota/quota.service';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

/**
 * Joins through the account's workspaces, which have an index. A datagrid outside the trash belongs
 * to a workspace outside the trash.
 */
const DATAGRIDS = `
  FROM workspaces w
  JOIN datagrids d ON d.workspace_id = w.id AND d.account_id = $1 AND d.deleted_at IS NULL
  WHERE w.account_id = $1`;

const COUNT_DATAGRIDS: Statement = {
  name: 'quota-count-datagrids',
  text: `SELECT count(*) AS count ${DATAGRIDS}`,
};

const COUNT_ROWS: Statement = {
  name: 'quota-count-rows',
  text: `
    SELECT coalesce(sum(c.row_count), 0)::bigint AS count
    FROM (SELECT d.id ${DATAGRIDS}) d JOIN datagrid_counters c ON c.datagrid_id = d.id`,
};

/** Counts an account's objects that are not in the trash. */
@Injectable()
export class QuotaCountRepository {
  constructor(private readonly database: Database) {}

  async countDatagrids(accountId: string): Promise<number> {
    return this.count(COUNT_DATAGRIDS, accountId);
  }

  async countRows(accountId: string): Promise<number> {
    return this.count(COUNT_ROWS, accountId);
  }

  private async count(statement: Statement, accountId: string): Promise<number> {
    const [found] = await this.database.run<{ count: number }>(statement, [accountId]);
    return found?.count ?? 0;
  }
}

@Injectable()
export class DatagridQuota implements Quota {
  readonly kind = 'datagrids';
  readonly max: number | undefined;

  constructor(
    { quotaDatagrids }: AppConfig,
    private readonly counts: QuotaCountRepository,
  ) {
    this.max = quotaDatagrids;
  }

  async count(accountId: string): Promise<number> {
    return this.counts.countDatagrids(accountId);
  }
}
