import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { QueryPool, QueryTimeoutError, type RunScan } from '../../platform/database/query-pool';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { filterSql } from '../query/filter/filter-sql';
import type { Filter } from '../query/filter/parse-filter';
import { SqlParameters } from '../query/filter/value-sql';
import { indexUse, matchingSql } from '../query/plan/query-parts';
import { NOTHING_COMPUTED, type Pagination, type QueryRequest } from '../query/query-request';
import { IdList } from './id-list';

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
    private readonly queries: QueryPool,
  ) {}

  /** Counts matching rows. @throws QueryTimeoutError, or AppError as `QueryPool.run`. */
  async count(accountId: string, schema: DatagridSchema, filter: Filter): Promise<number | null> {
    const { text, values } = countSql(accountId, schema, filter);
    const [counted] = await this.queries.run<{ count: number }>(accountId, text, values);
    return counted?.count ?? null;
  }

  /**
   * Returns the ids of the rows that match.
   * @throws as `count`, and QueryTimeoutError if all statements together exceed
   *   QUERY_TIMEOUT_MS.
   */
  async find(accountId: string, schema: DatagridSchema, filter: Filter): Promise<FoundRows | null> {
    return this.queries.runScans(accountId, (run) => this.findWith(run, accountId, schema, filter));
  }

  private async findWith(
    run: RunScan,
    accountId: string,
    schema: DatagridSchema,
    filter: Filter,
  ): Promise<FoundRows | null> {
    const start = performance.now();
    const ids = new IdList();
    let revision: number | undefined;
    let usesIndex = indexUse(filter) !== null;
    for (let afterId = 0; ;) {
      const step = { afterId, limit: STEP_ROWS, usesIndex };
      const { text, values } = nextIdsSql(accountId, schema, filter, step);
      const [found] = await run<{ revision: number; ids: number[] }>(text, values);
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
}

function outOfTime(): QueryTimeoutError {
  return new QueryTimeoutError('The search timed out.');
}

/** A statement whose text depends on the filter. */
interface MatchStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Selects the datagrid if it belongs to the account and has the columns of the schema. */
const DATAGRID = `
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;

/** Returns the statement that counts the rows that match. */
function countSql(accountId: string, schema: DatagridSchema, filter: Filter): MatchStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const request = requestOf(filter, { kind: 'page', request: { page: 1, limit: 1 } });
  const { ctes, total } = matchingSql(request, { offset: 0, limit: 1 }, parameters);
  return { text: `WITH ${ctes} SELECT ${total} AS count ${DATAGRID}`, values: parameters.values };
}

/**
 * Returns the statement for the ids of the next rows after `afterId` that match, in ascending
 * order, and the datagrid's revision in the same snapshot.
 * @param usesIndex Whether to use the index that serves the filter, if any. Each statement then
 *   reads all entries that match. Otherwise it reads rows in id order, up to the last one found.
 */
function nextIdsSql(
  accountId: string,
  schema: DatagridSchema,
  filter: Filter,
  { afterId, limit, usesIndex }: { afterId: number; limit: number; usesIndex: boolean },
): MatchStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const pagination: Pagination = { kind: 'cursor', after: { rowId: afterId, values: [] }, limit };
  const ids = (): string => `
    found AS (
      SELECT r.id FROM rows r
      WHERE r.datagrid_id = $1 AND r.id > ${parameters.add(afterId, 'bigint')}
        AND ${filterSql(filter, parameters)}
      ORDER BY r.id LIMIT ${parameters.add(limit, 'bigint')}
    )`;
  const ctes = usesIndex
    ? matchingSql(requestOf(filter, pagination), { offset: 0, limit }, parameters).ctes
    : ids();
  const text = `
    WITH ${ctes}
    SELECT c.revision,
      (SELECT coalesce(json_agg(f.id ORDER BY f.id), '[]') FROM ${usesIndex ? 'page' : 'found'} f) AS ids
    ${DATAGRID}`;
  return { text, values: parameters.values };
}

function requestOf(filter: Filter, pagination: Pagination): QueryRequest {
  const all = { search: null, searched: [], sort: [], fields: null, computed: NOTHING_COMPUTED };
  return { filter, ...all, pagination, viewTag: null };
}
