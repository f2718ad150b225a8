import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PageRequest } from '../../common/paging/page-request';
import { BudgetedQueries } from '../../platform/database/budgeted-queries';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { ROW_JSON } from '../storage/row-json-sql';
import { LARGE_ROWS_PAGE, PAGE, PLAIN_PAGE } from './row-page-sql';
import type { RowVersion } from './row-version.repository';

const ONE: Statement = {
  name: 'row-one',
  text: `
    SELECT r.revision, c.schema_version AS "schemaVersion", ${ROW_JSON} AS json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    JOIN rows r ON r.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
      AND r.id = $3 AND r.datagrid_id = $1`,
};

const MAX_REMEMBERED = 20_000;

export interface RowText extends RowVersion {
  readonly json: string;
}

export interface RowPageText extends Omit<RowText, 'json'> {
  /** `null` if a row is not small, or the page is larger than may be given. */
  readonly json: string | null;
  readonly total: number;
  readonly count: number;
}

/**
 * Rows as JSON text. Every statement names the account and the datagrid, but for `PLAIN_PAGE`: it
 * names the version at which the account was seen to have it.
 */
@Injectable()
export class RowReadRepository {
  /**
   * By account and datagrid, the version of the columns at which `PLAIN_PAGE` serves it. One that
   * is missing or no longer so costs nothing but time.
   */
  private readonly plain = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(
    private readonly database: Database,
    private readonly queries: BudgetedQueries,
  ) {}

  /** `null` where the account has no such datagrid. Prints small rows only. */
  async findPage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    maxBytes: number,
  ): Promise<RowPageText | null> {
    const key = `${accountId} ${datagridId}`;
    const place = [(page - 1) * limit, limit, maxBytes];
    const plainVersion = this.plain.get(key);
    if (plainVersion !== undefined) {
      const values = [datagridId, plainVersion, ...place];
      const plain = await this.database.runForText(PLAIN_PAGE, values);
      if (plain) {
        const [total, revision, json = null] = plain;
        return {
          json,
          total: Number(total),
          revision: Number(revision),
          schemaVersion: plainVersion,
          count: Math.max(0, Math.min(limit, Number(total) - (page - 1) * limit)),
        };
      }
      this.plain.delete(key);
    }
    const found = await this.database.runForText(PAGE, [datagridId, accountId, ...place]);
    if (!found) return null;
    const [total, revision, schemaVersion, count, isPlain, json = null] = found;
    if (isPlain === 't') this.plain.set(key, Number(schemaVersion));
    return {
      json,
      total: Number(total),
      revision: Number(revision),
      schemaVersion: Number(schemaVersion),
      count: Number(count),
    };
  }

  /**
   * The same for rows of any size, on the connections for queries: it may take long.
   * @throws BudgetExceededError, or AppError as `BudgetedQueries.run`.
   */
  async findLargePage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    maxBytes: number,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, (page - 1) * limit, limit, maxBytes];
    const [found] = await this.queries.run<RowPageText>(accountId, LARGE_ROWS_PAGE, values, 'scan');
    return found ?? null;
  }

  /** `null` where the account has no such datagrid, or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const [found] = await this.database.run<RowText>(ONE, [datagridId, accountId, rowId]);
    return found ?? null;
  }
}
