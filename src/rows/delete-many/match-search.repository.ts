import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { BudgetedQueries, BudgetExceededError } from '../../platform/database/budgeted-queries';
import type { Filter } from '../find/filter/filter';
import { indexUse } from '../find/plan/index-use';
import { IdList } from './id-list';
import { countSql, nextIdsSql, type MatchStatement } from './match-sql';

/** Maximum number of ids that one statement returns, which bounds the memory of each step. */
const STEP_ROWS = 20_000;

/** Rows that matched a filter when the search began, or at a later step of it. */
export interface FoundRows {
  readonly ids: IdList;
  /** The datagrid's revision when the search began. Rows with a later one have changed since. */
  readonly revision: number;
}

/**
 * Finds the rows that match a filter. It takes no lock, and uses the pool for queries, so that
 * other requests do not wait for its connections. Its methods return `null` if the account has no
 * such datagrid, or if the columns are no longer those of the schema.
 */
@Injectable()
export class MatchSearchRepository {
  constructor(
    private readonly config: AppConfig,
    private readonly queries: BudgetedQueries,
  ) {}

  /** Counts matching rows. @throws BudgetExceededError, or AppError as `BudgetedQueries.run`. */
  async count(accountId: string, schema: DatagridSchema, filter: Filter): Promise<number | null> {
    const [counted] = await this.run<{ count: number }>(
      accountId,
      countSql(accountId, schema, filter),
    );
    return counted?.count ?? null;
  }

  /**
   * Returns the ids of the rows that match.
   * @throws as `count`, and BudgetExceededError if all statements together exceed
   *   QUERY_TIMEOUT_MS.
   */
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
      // A full step means that many rows match. They are found faster in id order.
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
