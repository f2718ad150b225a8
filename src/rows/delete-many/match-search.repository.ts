import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { BudgetedQueries, BudgetExceededError } from '../../platform/database/budgeted-queries';
import type { Filter } from '../find/filter/filter';
import { indexUse } from '../find/plan/index-use';
import { IdList } from './id-list';
import { countSql, nextIdsSql, type MatchStatement } from './match-sql';

/** Ids that one statement finds: what PostgreSQL and the service hold at a time. */
const STEP_ROWS = 20_000;

/** Rows that match a filter, as they were when the search began, or later. */
export interface FoundRows {
  readonly ids: IdList;
  /** The datagrid's revision when the search began: rows with a later one have changed since. */
  readonly revision: number;
}

/**
 * Finds the rows that match a filter. Takes no lock, and no connection that other requests need.
 * Its methods give `null` where the account has no such datagrid, or it has other columns by now.
 */
@Injectable()
export class MatchSearchRepository {
  constructor(
    private readonly config: AppConfig,
    private readonly queries: BudgetedQueries,
  ) {}

  /** @throws BudgetExceededError, or AppError as `BudgetedQueries.run`. */
  async count(accountId: string, schema: DatagridSchema, filter: Filter): Promise<number | null> {
    const [counted] = await this.run<{ count: number }>(
      accountId,
      countSql(accountId, schema, filter),
    );
    return counted?.count ?? null;
  }

  /** @throws as `count`, also where all statements together take longer than the budget. */
  async find(accountId: string, schema: DatagridSchema, filter: Filter): Promise<FoundRows | null> {
    const start = performance.now();
    const ids = new IdList();
    let revision: number | undefined;
    let usesIndex = indexUse(filter) !== null;
    for (let afterId = 0; ;) {
      const step = { afterId, limit: STEP_ROWS, usesIndex };
      const [found] = await this.run<{ revision: number; ids: number[] }>(
        accountId,
        nextIdsSql(accountId, schema, filter, step),
      );
      if (!found) return null;
      revision ??= found.revision;
      ids.append(found.ids);
      if (found.ids.length < STEP_ROWS) return { ids, revision };
      if (performance.now() - start > this.config.queryTimeoutMs) throw outOfTime();
      afterId = found.ids.at(-1) ?? afterId;
      // So many rows are found faster in the order of their ids.
      usesIndex = false;
    }
  }

  private run<Row extends object>(
    accountId: string,
    { text, values }: MatchStatement,
  ): Promise<Row[]> {
    return this.queries.run<Row>(accountId, text, values);
  }
}

function outOfTime(): BudgetExceededError {
  return new BudgetExceededError('The search timed out.');
}
