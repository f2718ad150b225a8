import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../common/paging/page-request';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { ROW_JSON } from '../storage/row-json-sql';
import { PAGE, PLAIN_PAGE } from './row-page-sql';
import type { RowVersion } from './row-version.repository';

const ONE: Statement = {
  name: 'row-one',
  text: `
    SELECT r.revision, c.schema_version AS "schemaVersion", ${ROW_JSON} AS json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    JOIN rows r ON r.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
      AND r.id = $3 AND r.datagrid_id = $1`,
};

const MOST_REMEMBERED = 100_000;

export interface RowText extends RowVersion {
  readonly json: string;
}

export interface RowPageText extends Omit<RowText, 'json'> {
  /** `null` where the page is larger than may be given. */
  readonly json: string | null;
  readonly total: number;
  readonly count: number;
}

/** Rows as JSON text. Every statement names the account and the datagrid. */
@Injectable()
export class RowReadRepository {
  /**
   * Datagrids that `PLAIN_PAGE` does not serve, as far as this process has met them. What has lost
   * a row or a column stays so; a datagrid missing here costs one statement more, once.
   */
  private readonly uneven = new Set<string>();

  constructor(private readonly database: Database) {}

  /** `null` where the account has no such datagrid. */
  async findPage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    mostBytes: number,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, (page - 1) * limit, limit, mostBytes];
    if (!this.uneven.has(datagridId)) {
      const [plain] = await this.database.run<RowPageText>(PLAIN_PAGE, values);
      if (plain) return plain;
    }
    const [found] = await this.database.run<RowPageText>(PAGE, values);
    if (found) this.remember(datagridId);
    return found ?? null;
  }

  /** `null` where the account has no such datagrid, or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const [found] = await this.database.run<RowText>(ONE, [datagridId, accountId, rowId]);
    return found ?? null;
  }

  private remember(datagridId: string): void {
    if (this.uneven.size >= MOST_REMEMBERED) this.uneven.clear();
    this.uneven.add(datagridId);
  }
}
