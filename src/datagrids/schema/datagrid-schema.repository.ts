import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { COLUMNS_JSON, type ColumnRecord } from '../column/column-record';

const FIND: Statement = {
  name: 'datagrid-schema-find',
  text: `
    SELECT c.schema_version AS version, ${COLUMNS_JSON} AS columns
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

export interface SchemaRecord {
  readonly version: number;
  readonly columns: readonly ColumnRecord[];
}

@Injectable()
export class DatagridSchemaRepository {
  constructor(private readonly database: Database) {}

  async find(accountId: string, datagridId: string): Promise<SchemaRecord | null> {
    const [found] = await this.database.run<SchemaRecord>(FIND, [datagridId, accountId]);
    return found ?? null;
  }
}
