import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { COLUMNS_BYTES } from '../column/column-metadata';
import { COLUMNS_JSON, type ColumnRecord } from '../column/column-record';

/**
 * Columns that the caller already has, or that are longer than `$4` bytes, are not read or sent.
 */
const FIND: Statement = {
  name: 'datagrid-schema-find',
  text: `
    SELECT c.schema_version AS version, c.state, c.history, c.linked_by AS "linkedBy",
      c.bytes AS "columnsBytes",
      CASE WHEN c.state IS DISTINCT FROM $3::text AND c.bytes <= $4::bigint
        THEN ${COLUMNS_JSON} END AS columns
    FROM (
      SELECT c.*, d.history, ${COLUMNS_BYTES} AS bytes,
        c.schema_version || '.' || d.version || '.' || extract(epoch FROM d.updated_at) AS state
      FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
      WHERE d.id = $1 AND c.datagrid_id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL OFFSET 0
    ) c`,
};

export interface SchemaRecord {
  readonly version: number;
  /** Changes whenever the columns change. */
  readonly state: string;
  readonly history: boolean;
  readonly linkedBy: readonly string[] | null;
  /** `null` if the caller already has them, or if they are longer than the maximum. */
  readonly columns: readonly ColumnRecord[] | null;
  readonly columnsBytes: number;
}

@Injectable()
export class DatagridSchemaRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param known State of the columns that the caller has; `null` if it has none.
   * @param maxBytes Longer columns are not read.
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
