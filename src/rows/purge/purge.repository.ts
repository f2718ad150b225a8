import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { PURGED_TABLES, type PurgedTable, type TablePosition } from './purged-table';

const STEP_ROWS = 2_000;

const LIST: Statement = {
  name: 'purge-list',
  text: 'SELECT datagrid_id AS "datagridId" FROM datagrid_purges ORDER BY created_at, datagrid_id',
};

const FINISH: Statement = {
  name: 'purge-finish',
  text: 'DELETE FROM datagrid_purges WHERE datagrid_id = $1',
};

/**
 * Deletes the rows of a table that follow a position, up to a step's number; nothing where
 * another replica holds the record. It goes on from a position, since starting anew would go over
 * all that is deleted and not yet vacuumed, again at each step. `seen` and `last` are of what the
 * statement found, which another replica may have deleted meanwhile.
 */
function step({ name, key }: PurgedTable): Statement {
  const list = (column: (name: string, index: number) => string): string =>
    key.map(column).join(', ');
  const columns = list((column) => column);
  const after = list((_, index) => `$${String(index + 2)}`);
  return {
    name: `purge-${name}`,
    text: `
      WITH purge AS (
        SELECT datagrid_id FROM datagrid_purges WHERE datagrid_id = $1 FOR UPDATE SKIP LOCKED
      ), batch AS (
        SELECT ${columns} FROM ${name} WHERE datagrid_id = $1 AND (${columns}) > (${after})
        ORDER BY ${columns} LIMIT ${String(STEP_ROWS)}
      ), last AS (
        SELECT * FROM batch ORDER BY ${list((column) => `${column} DESC`)} LIMIT 1
      ), gone AS (
        DELETE FROM ${name} t USING purge, last
        WHERE t.datagrid_id = $1 AND (${list((column) => `t.${column}`)}) > (${after})
          AND (${list((column) => `t.${column}`)}) <= (${list((column) => `last.${column}`)})
      )
      SELECT EXISTS (SELECT FROM purge) AS "isLocked", (SELECT count(*) FROM batch) AS seen, last.*
      FROM (SELECT) one LEFT JOIN last ON true`,
  };
}

const STEPS = new Map(PURGED_TABLES.map((table) => [table, step(table)]));

type StepRow = { readonly isLocked: boolean; readonly seen: number } & Record<string, unknown>;

export interface PurgeStep {
  /** Whether this replica had the record; where not, another one is at it. */
  readonly isLocked: boolean;
  /** Where the next step goes on; `null` where nothing follows. */
  readonly next: TablePosition | null;
}

/** Every statement but the list names the datagrid. */
@Injectable()
export class PurgeRepository {
  constructor(private readonly database: Database) {}

  /** Datagrids that are to be cleared, the longest deleted first. */
  async list(): Promise<string[]> {
    const found = await this.database.run<{ datagridId: string }>(LIST);
    return found.map(({ datagridId }) => datagridId);
  }

  /** Clears some rows of a table that follow `after`. */
  async clear(datagridId: string, table: PurgedTable, after: TablePosition): Promise<PurgeStep> {
    const statement = STEPS.get(table) ?? step(table);
    const [cleared] = await this.database.run<StepRow>(statement, [datagridId, ...after]);
    if (!cleared?.isLocked) return { isLocked: false, next: null };
    const hasMore = cleared.seen === STEP_ROWS;
    return { isLocked: true, next: hasMore ? table.key.map((column) => cleared[column]) : null };
  }

  /** There is nothing left of the datagrid. */
  async finish(datagridId: string): Promise<void> {
    await this.database.run(FINISH, [datagridId]);
  }
}
