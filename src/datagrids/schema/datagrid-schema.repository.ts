import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { COLUMNS_BYTES } from '../column/column-metadata';
import { COLUMNS_JSON, type ColumnRecord } from '../column/column-record';

/** Columns that the caller knows, or that are longer than `$4`, are neither read nor sent. */
const FIND: Statement = {
  name: 'datagrid-schema-find',
  text: `
    SELECT c.schema_version AS version, c.state, c.bytes AS "columnsBytes",
      CASE WHEN c.state IS DISTINCT FROM $3::text AND c.bytes <= $4::bigint
        THEN ${COLUMNS_JSON} END AS columns
    FROM (
      SELECT c.*, ${COLUMNS_BYTES} AS bytes,
        c.schema_version || '.' || d.version || '.' || extract(epoch FROM d.updated_at) AS state
      FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
      WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL OFFSET 0
    ) c`,
};

export interface SchemaRecord {
  readonly version: number;
  /** Differs wherever the columns do. */
  readonly state: string;
  /** `null` where the caller knows them, or they are longer than was asked for. */
  readonly columns: readonly ColumnRecord[] | null;
  readonly columnsBytes: number;
}

@Injectable()
export class DatagridSchemaRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param known The state whose columns the caller has.
   * @param maxBytes Of longer columns nothing is read.
   */
  async find(
    accountId: string,
    datagridId: string,
    known: string | null,
    maxBytes: number,
  ): Promise<SchemaRecord | null> {
    const values = [datagridId, accountId, known, maxBytes];
    const [found] = await this.database.run<SchemaRecord>(FIND, values);
    return found ?? null;
  }
}
