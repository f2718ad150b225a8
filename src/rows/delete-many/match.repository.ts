import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import type { Filter } from '../find/filter/filter';
import { filterSql } from '../find/filter/filter-sql';
import { SqlParameters } from '../find/filter/sql-parameters';

/** Rows that are deleted by one statement: what is kept in memory does not grow with their number. */
const STEP_ROWS = 5_000;

/** Of this transaction alone; and its questions are planned for the values they come with. */
const BOUND: Statement = {
  name: 'match-bound',
  text: `
    SELECT set_config('statement_timeout', $1, true),
      set_config('plan_cache_mode', 'force_custom_plan', true)`,
};

/** The rows that a filter matches. For use inside a transaction that holds the datagrid's lock. */
@Injectable()
export class MatchRepository {
  constructor(private readonly database: Database) {}

  /** Gives each further statement of the transaction so much time; `isOutOfTime` knows the rest. */
  async boundStatements(budgetMs: number): Promise<void> {
    await this.database.run(BOUND, [String(budgetMs)]);
  }

  async count({ datagridId }: DatagridSchema, filter: Filter): Promise<number> {
    const parameters = new SqlParameters(datagridId);
    const text = `
      SELECT count(*) AS count FROM rows r
      WHERE r.datagrid_id = $1 AND ${filterSql(filter, parameters)}`;
    const [counted] = await this.database.runOnce<{ count: number }>(text, parameters.values);
    return counted?.count ?? 0;
  }

  /** The ids of the next rows after `afterId`, up to some thousand; none at the end. */
  async findIds(schema: DatagridSchema, filter: Filter, afterId: number): Promise<number[]> {
    const parameters = new SqlParameters(schema.datagridId, afterId);
    const text = `
      SELECT r.id FROM rows r
      WHERE r.datagrid_id = $1 AND r.id > $2 AND ${filterSql(filter, parameters)}
      ORDER BY r.id LIMIT ${String(STEP_ROWS)}`;
    const found = await this.database.runOnce<{ id: number }>(text, parameters.values);
    return found.map(({ id }) => id);
  }
}
