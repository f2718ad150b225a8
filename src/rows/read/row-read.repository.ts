import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../common/paging/page-request';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { positionAt } from '../position/position-sql';
import { ROW_JSON } from '../storage/row-json-sql';

/**
 * One page with everything that goes with it: whether the caller's account has the datagrid, the
 * total, and the rows as text, all of one snapshot.
 */
const PAGE: Statement = {
  name: 'row-page',
  text: `
    SELECT c.row_count AS total, c.revision, c.schema_version AS "schemaVersion", p.count, p.json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    ${positionAt('$3::bigint')}
    CROSS JOIN LATERAL (
      SELECT count(*) AS count, coalesce('[' || string_agg(${ROW_JSON}, ',') || ']', '[]') AS json
      FROM (
        SELECT * FROM rows WHERE datagrid_id = $1 AND id > at.after_id
        ORDER BY id OFFSET at.skip LIMIT $4
      ) r
    ) p
    WHERE d.id = $1 AND d.account_id = $2`,
};

const ONE: Statement = {
  name: 'row-one',
  text: `
    SELECT r.revision, c.schema_version AS "schemaVersion", ${ROW_JSON} AS json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    JOIN rows r ON r.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND r.id = $3 AND r.datagrid_id = $1`,
};

export interface RowText {
  readonly revision: number;
  readonly schemaVersion: number;
  readonly json: string;
}

export interface RowPageText extends RowText {
  readonly total: number;
  readonly count: number;
}

/** Rows as JSON text. Every statement names the account and the datagrid. */
@Injectable()
export class RowReadRepository {
  constructor(private readonly database: Database) {}

  /** `null` where the account has no such datagrid. */
  async findPage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, (page - 1) * limit, limit];
    const [found] = await this.database.run<RowPageText>(PAGE, values);
    return found ?? null;
  }

  /** `null` where the account has no such datagrid, or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const [found] = await this.database.run<RowText>(ONE, [datagridId, accountId, rowId]);
    return found ?? null;
  }
}
