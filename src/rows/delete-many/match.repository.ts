import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import type { Filter } from '../find/filter/filter';
import { filterSql } from '../find/filter/filter-sql';
import { SqlParameters } from '../find/filter/sql-parameters';

/** Settings of the current transaction. Its statements are planned for their parameter values. */
const BOUND: Statement = {
  name: 'match-bound',
  text: `
    SELECT set_config('statement_timeout', $1, true),
      set_config('plan_cache_mode', 'force_custom_plan', true)`,
};

const NEXT: Statement = {
  name: 'match-next',
  text: 'SELECT id FROM rows WHERE datagrid_id = $1 AND id > $2 ORDER BY id LIMIT $3',
};

const PRESENT: Statement = {
  name: 'match-present',
  text: `
    SELECT id, revision > $3 AS "isChanged" FROM rows
    WHERE datagrid_id = $1 AND id = ANY($2::bigint[]) ORDER BY id`,
};

/** A row that still exists. */
export interface PresentRow {
  readonly id: number;
  /** Whether the row was written after the given revision. */
  readonly isChanged: boolean;
}

/** Reads rows to be deleted. Use it in a transaction that holds the datagrid's lock. */
@Injectable()
export class MatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Limits the time of each further statement of the transaction. For the error of one that
   * exceeds it, see `isStatementTimeout`.
   */
  async boundStatements(timeoutMs: number): Promise<void> {
    await this.database.run(BOUND, [String(timeoutMs)]);
  }

  /** Returns the ids of the next rows after `afterId`, regardless of their values. */
  async nextIds({ datagridId }: DatagridSchema, afterId: number, limit: number): Promise<number[]> {
    return idsOf(await this.database.run<IdRow>(NEXT, [datagridId, afterId, limit]));
  }

  /** Returns those of the rows that still exist, in id order. */
  async present(
    { datagridId }: DatagridSchema,
    ids: readonly number[],
    revision: number,
  ): Promise<PresentRow[]> {
    return this.database.run<PresentRow>(PRESENT, [datagridId, ids, revision]);
  }

  /** Returns the ids of those rows that match the filter. */
  async matchingIds(
    schema: DatagridSchema,
    ids: readonly number[],
    filter: Filter,
  ): Promise<number[]> {
    const parameters = new SqlParameters(schema.datagridId, ids);
    const text = `
      SELECT r.id FROM rows r
      WHERE r.datagrid_id = $1 AND r.id = ANY($2::bigint[]) AND ${filterSql(filter, parameters)}`;
    return idsOf(await this.database.runOnce<IdRow>(text, parameters.values));
  }
}

interface IdRow {
  readonly id: number;
}

const idsOf = (rows: readonly IdRow[]): number[] => rows.map(({ id }) => id);
