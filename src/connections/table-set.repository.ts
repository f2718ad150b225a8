import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { tableIdOf, tableNameFor } from './table-name';

const REMOVE_OTHERS: Statement = {
  name: 'connection-tables-remove-others',
  text: `
    DELETE FROM connection_tables t USING connections c
    WHERE c.id = $1 AND t.connection_id = c.id AND c.datagrid_ids IS NOT NULL
      AND t.datagrid_id <> ALL(c.datagrid_ids)`,
};

const MISSING: Statement = {
  name: 'connection-tables-missing',
  text: `
    SELECT d.id, d.name FROM connections c
    JOIN datagrids d ON d.workspace_id = c.workspace_id AND d.deleted_at IS NULL
      AND (c.datagrid_ids IS NULL OR d.id = ANY(c.datagrid_ids))
    WHERE c.id = $1 AND NOT EXISTS (
      SELECT FROM connection_tables t WHERE t.connection_id = c.id AND t.datagrid_id = d.id
    )
    ORDER BY d.id LIMIT $2`,
};

const NAMES: Statement = {
  name: 'connection-tables-names',
  text: 'SELECT name FROM connection_tables WHERE connection_id = $1',
};

/** Adds nothing for a datagrid or a name that another transaction has added meanwhile. */
const ADD: Statement = {
  name: 'connection-tables-add',
  text: `
    INSERT INTO connection_tables (connection_id, datagrid_id, id, name)
    SELECT $1::uuid, added.* FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS added
    ON CONFLICT DO NOTHING`,
};

/** Tables of purged datagrids do not count. */
const COUNT: Statement = {
  name: 'connection-tables-count',
  text: `
    SELECT count(*) AS count FROM connection_tables t
    JOIN connections c ON c.id = t.connection_id
    JOIN datagrids d ON d.id = t.datagrid_id
    WHERE c.account_id = $1`,
};

/** A datagrid that is to get a table. */
export interface MissingTable {
  /** Id of the datagrid. */
  readonly id: string;
  /** Name of the datagrid. */
  readonly name: string;
}

/** Which tables the connections have. */
@Injectable()
export class TableSetRepository {
  constructor(private readonly database: Database) {}

  /** Removes the tables of datagrids that the connection no longer chooses. Requires its lock. */
  async removeOthers(connectionId: string): Promise<void> {
    await this.database.run(REMOVE_OTHERS, [connectionId]);
  }

  /** Lists up to `limit` datagrids that the connection chooses and that have no table. */
  async listMissing(connectionId: string, limit: number): Promise<MissingTable[]> {
    return this.database.run<MissingTable>(MISSING, [connectionId, limit]);
  }

  /** Adds a table for each datagrid that has none yet, with a name that no other has. */
  async add(connectionId: string, datagrids: readonly MissingTable[]): Promise<void> {
    if (datagrids.length === 0) return;
    const rows = await this.database.run<{ name: string }>(NAMES, [connectionId]);
    const taken = new Set(rows.map(({ name }) => name));
    const names = datagrids.map((datagrid) => {
      const name = tableNameFor(datagrid.name, taken);
      taken.add(name);
      return name;
    });
    await this.database.run(ADD, [
      connectionId,
      datagrids.map(({ id }) => id),
      datagrids.map(({ id }) => tableIdOf(connectionId, id)),
      names,
    ]);
  }

  /** Counts the tables of all connections of an account. */
  async count(accountId: string): Promise<number> {
    return (await this.database.run<{ count: number }>(COUNT, [accountId]))[0]?.count ?? 0;
  }
}
