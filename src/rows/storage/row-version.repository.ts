import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

/** Version that determines the printed rows: that of the last write and that of the columns. */
export interface RowVersion {
  readonly revision: number;
  readonly schemaVersion: number;
}

const VERSION: Statement = {
  name: 'row-version',
  text: `
    SELECT c.revision, c.schema_version AS "schemaVersion"
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

@Injectable()
export class RowVersionRepository {
  constructor(private readonly database: Database) {}

  /** Returns the version without reading rows, or `null` if the account has no such datagrid. */
  async find(accountId: string, datagridId: string): Promise<RowVersion | null> {
    const [found] = await this.database.run<RowVersion>(VERSION, [datagridId, accountId]);
    return found ?? null;
  }
}
