import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../common/text/id';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

const BATCH = 500;

const LIST: Statement = {
  name: 'verify-list',
  text: `SELECT id FROM datagrids WHERE id > $1 ORDER BY id LIMIT ${String(BATCH)}`,
};

const TABLES = [
  'rows',
  'row_gaps',
  'unique_values',
  'text_index_entries',
  'number_index_entries',
  'row_tombstones',
  'datagrid_changes',
  'row_versions',
  'datagrid_counters',
  'datagrid_columns',
] as const;

/**
 * Finds datagrids that a table refers to, that do not exist, and that are not being purged. It
 * steps from one datagrid id to the next, so its cost does not depend on the number of rows.
 */
const orphansIn = (table: string): Statement => ({
  name: `verify-orphans-${table}`,
  text: `
    WITH RECURSIVE known AS (
      (SELECT datagrid_id FROM ${table} ORDER BY datagrid_id LIMIT 1)
      UNION ALL
      SELECT (
        SELECT t.datagrid_id FROM ${table} t WHERE t.datagrid_id > known.datagrid_id
        ORDER BY t.datagrid_id LIMIT 1
      )
      FROM known WHERE known.datagrid_id IS NOT NULL
    )
    SELECT k.datagrid_id AS "datagridId" FROM known k
    WHERE k.datagrid_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM datagrids d WHERE d.id = k.datagrid_id)
      AND NOT EXISTS (SELECT FROM datagrid_purges p WHERE p.datagrid_id = k.datagrid_id)`,
});

export interface Orphan {
  readonly datagridId: string;
  readonly table: string;
}

/** Lists the datagrids of all accounts, for the operator's verify command. */
@Injectable()
export class DatagridListRepository {
  constructor(private readonly database: Database) {}

  /**
   * Yields the ids of all datagrids, including those in the trash and those created in the
   * meantime.
   */
  async *ids(): AsyncGenerator<string> {
    let after: string = NIL_ID;
    for (;;) {
      const batch = await this.database.run<{ id: string }>(LIST, [after]);
      for (const { id } of batch) yield id;
      const last = batch.at(-1);
      if (!last) return;
      after = last.id;
    }
  }

  /** Returns references to datagrids that do not exist. */
  async orphans(): Promise<Orphan[]> {
    const found: Orphan[] = [];
    for (const table of TABLES) {
      const ids = await this.database.run<{ datagridId: string }>(orphansIn(table));
      found.push(...ids.map(({ datagridId }) => ({ datagridId, table })));
    }
    return found;
  }
}
