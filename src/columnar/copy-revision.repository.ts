import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

const REVISIONS: Statement = {
  name: 'columnar-revisions',
  text: `
    SELECT c.datagrid_id AS "datagridId", c.revision
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = ANY($1::uuid[]) AND d.deleted_at IS NULL`,
};

/** Reads which copies lack changes. */
@Injectable()
export class CopyRevisionRepository {
  constructor(private readonly database: Database) {}

  /** Returns the revisions of datagrids by id. Those that are deleted are missing. */
  async list(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (datagridIds.length === 0) return new Map();
    const found = await this.database.run<{ datagridId: string; revision: number }>(REVISIONS, [
      datagridIds,
    ]);
    return new Map(found.map(({ datagridId, revision }) => [datagridId, revision]));
  }
}
