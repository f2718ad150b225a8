import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PageRequest } from '../../common/paging/page-request';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { ROW_JSON } from '../storage/row-json-sql';
import { PAGE, PLAIN_PAGE } from './row-page-sql';
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

const MOST_REMEMBERED = 20_000;

export interface RowText extends RowVersion {
  readonly json: string;
}

export interface RowPageText extends Omit<RowText, 'json'> {
  /** `null` where the page is larger than may be given. */
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
  private readonly plain = new LRUCache<string, number>({ max: MOST_REMEMBERED });

  constructor(private readonly database: Database) {}

  /** `null` where the account has no such datagrid. */
  async findPage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    mostBytes: number,
  ): Promise<RowPageText | null> {
    const key = `${accountId} ${datagridId}`;
    const place = [(page - 1) * limit, limit, mostBytes];
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

  /** `null` where the account has no such datagrid, or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const [found] = await this.database.run<RowText>(ONE, [datagridId, accountId, rowId]);
    return found ?? null;
  }
}
