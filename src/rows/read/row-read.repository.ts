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
  /** Rows as a JSON array; `null` if a row is not small, or if the page exceeds `maxBytes`. */
  readonly json: string | null;
  readonly total: number;
  readonly count: number;
}

/**
 * Reads rows as JSON text. Every statement is scoped to the account and the datagrid, except
 * `PLAIN_PAGE`, which is scoped to the datagrid and the schema version at which the account was
 * seen to have it.
 */
@Injectable()
export class RowReadRepository {
  /**
   * Schema version at which `PLAIN_PAGE` serves a datagrid, by account and datagrid. A missing or
   * outdated entry only costs time.
   */
  private readonly plain = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(
    private readonly database: Database,
    private readonly queries: BudgetedQueries,
  ) {}

  /** Returns a page, or `null` if the account has no such datagrid. Prints only small rows. */
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
   * Like `findPage`, for rows of any size. It uses the connections for queries, because it can take
   * long.
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

  /** Returns a row, or `null` if the account has no such datagrid or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const [found] = await this.database.run<RowText>(ONE, [datagridId, accountId, rowId]);
    return found ?? null;
  }
}
