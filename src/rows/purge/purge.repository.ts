import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import {
  clearingSql,
  clearingStep,
  type ClearedTable,
  type ClearingStep,
  type StepRow,
  type TablePosition,
} from '../clearing/clearing-sql';
import { PURGED_TABLES } from './purged-table';

const LIST: Statement = {
  name: 'purge-list',
  text: 'SELECT datagrid_id AS "datagridId" FROM datagrid_purges ORDER BY created_at, datagrid_id',
};

const FINISH: Statement = {
  name: 'purge-finish',
  text: 'DELETE FROM datagrid_purges WHERE datagrid_id = $1',
};

const DATAGRID = {
  of: ['datagrid_id'],
  others: 0,
  record: 'SELECT 1 FROM datagrid_purges WHERE datagrid_id = $1 FOR UPDATE SKIP LOCKED',
};

function step(table: ClearedTable): Statement {
  return { name: `purge-${table.name}`, text: clearingSql(DATAGRID, table) };
}

const STEPS = new Map(PURGED_TABLES.map((table) => [table, step(table)]));

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
  async clear(
    datagridId: string,
    table: ClearedTable,
    after: TablePosition,
  ): Promise<ClearingStep> {
    const statement = STEPS.get(table) ?? step(table);
    const [cleared] = await this.database.run<StepRow>(statement, [datagridId, ...after]);
    return clearingStep(cleared, table);
  }

  /** There is nothing left of the datagrid. */
  async finish(datagridId: string): Promise<void> {
    await this.database.run(FINISH, [datagridId]);
  }
}
