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
  'row_links',
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
const orphansIn = (table: string): Statement => {
  const unknown = `
    SELECT k.datagrid_id AS "datagridId" FROM known k
    WHERE k.datagrid_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM datagrids d WHERE d.id = k.datagrid_id)
      AND NOT EXISTS (SELECT FROM datagrid_purges p WHERE p.datagrid_id = k.datagrid_id)`;
  return {
    name: `verify-orphans-${table}`,
    text: `WITH RECURSIVE ${knownIn(table)} ${unknown}`,
    // Citus steps only within a datagrid. Each shard returns its ids.
    distributedText: `
      WITH known AS MATERIALIZED (
        SELECT json_array_elements_text(result::json)::uuid AS datagrid_id
        FROM run_command_on_shards('${table}', $shard$
          WITH RECURSIVE ${knownIn('%1$s')}
          SELECT coalesce(json_agg(datagrid_id), '[]') FROM known WHERE datagrid_id IS NOT NULL
        $shard$)
      ) ${unknown}`,
  };
};

/** Common table expression of the datagrids that a table refers to, and one NULL. */
const knownIn = (table: string): string => `known AS (
  (SELECT datagrid_id FROM ${table} ORDER BY datagrid_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT t.datagrid_id FROM ${table} t WHERE t.datagrid_id > known.datagrid_id
    ORDER BY t.datagrid_id LIMIT 1
  )
  FROM known WHERE known.datagrid_id IS NOT NULL
)`;

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
      const ids = await this.orphansOf(table);
      // On Citus, the first read can see a datagrid on one node before it exists on the other.
      const confirmed = ids.length === 0 ? ids : await this.orphansOf(table);
      const both = confirmed.filter((id) => ids.includes(id));
      found.push(...both.map((datagridId) => ({ datagridId, table })));
    }
    return found;
  }

  private async orphansOf(table: string): Promise<string[]> {
    const rows = await this.database.run<{ datagridId: string }>(orphansIn(table));
    return rows.map(({ datagridId }) => datagridId);
  }
}
