import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import type { Filter } from '../find/filter/filter';
import { filterSql } from '../find/filter/filter-sql';
import { SqlParameters } from '../find/filter/sql-parameters';

/** Applies to this transaction only. Its statements are planned for the values they come with. */
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

/** A row that is there. */
export interface PresentRow {
  readonly id: number;
  /** Whether it was written after the revision asked for. */
  readonly isChanged: boolean;
}

/** Rows to be deleted. For use inside a transaction that holds the datagrid's lock. */
@Injectable()
export class MatchRepository {
  constructor(private readonly database: Database) {}

  /** Gives each further statement of the transaction so much time; `isStatementTimeout` knows the rest. */
  async boundStatements(timeoutMs: number): Promise<void> {
    await this.database.run(BOUND, [String(timeoutMs)]);
  }

  /** The ids of the next rows after `afterId`, whatever they hold; none at the end. */
  async nextIds({ datagridId }: DatagridSchema, afterId: number, limit: number): Promise<number[]> {
    return idsOf(await this.database.run<IdRow>(NEXT, [datagridId, afterId, limit]));
  }

  /** Those of the rows that are there, in the order of their ids. */
  async present(
    { datagridId }: DatagridSchema,
    ids: readonly number[],
    revision: number,
  ): Promise<PresentRow[]> {
    return this.database.run<PresentRow>(PRESENT, [datagridId, ids, revision]);
  }

  /** Those of the rows that match. */
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
