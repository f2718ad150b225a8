import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { ExpiryPolicy, OrphanPolicy, SurplusPolicy } from './retention-policy-sql';

/** Maximum number of records that one statement deletes. A stored response can have megabytes. */
const BATCH_RECORDS = 1_000;

/** The result of a statement that deletes a batch. */
export interface DeletedBatch {
  readonly count: number;
  /** Whether there may be more to delete. */
  readonly hasMore: boolean;
}

/** Deletes records of a table, at most BATCH_RECORDS with each statement. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deletes a batch of the expired records. Skips those that another instance has locked.
   * @param days Retention period, if the policy has one in days.
   */
  deleteExpired(
    { table, expiredSql }: ExpiryPolicy,
    days: number | undefined,
  ): Promise<DeletedBatch> {
    const statement = deleteUnlocked(`retention-expired-${table}`, table, expiredSql);
    return this.deleteBatch(statement, days === undefined ? [] : [days]);
  }

  /**
   * Deletes a batch of the records of purged datagrids. These never return, so they are found before
   * anything is locked: Citus changes no table of the coordinator in a statement that reads `datagrids`.
   */
  async deleteOrphans({ table, idleSql }: OrphanPolicy): Promise<DeletedBatch> {
    const find = {
      name: `retention-purged-${table}`,
      text: `
        SELECT DISTINCT datagrid_id AS id FROM ${table} r
        WHERE ${idleSql} AND NOT EXISTS (SELECT FROM datagrids d WHERE d.id = r.datagrid_id)
        LIMIT ${String(BATCH_RECORDS)}`,
    };
    const purged = await this.database.run<{ id: string }>(find);
    if (purged.length === 0) return { count: 0, hasMore: false };
    const condition = `datagrid_id = ANY($1::uuid[]) AND ${idleSql}`;
    const statement = deleteUnlocked(`retention-orphans-${table}`, table, condition);
    return this.deleteBatch(statement, [purged.map(({ id }) => id)]);
  }

  /** Returns the lowest id of a group above `groupId`; `null` if there is none. */
  async findNextGroup(
    { table, groupColumn }: SurplusPolicy,
    groupId: string,
  ): Promise<string | null> {
    const statement = {
      name: `retention-next-${table}`,
      text: `
        SELECT ${groupColumn} AS id FROM ${table}
        WHERE ${groupColumn} > $1 ORDER BY ${groupColumn} LIMIT 1`,
    };
    const [next] = await this.database.run<{ id: string }>(statement, [groupId]);
    return next?.id ?? null;
  }

  /**
   * Returns the id of the newest record of a group beyond the newest `maxRecords`; `null` if there are no
   * more.
   */
  async findNewestSurplus(
    { table, groupColumn }: SurplusPolicy,
    groupId: string,
    maxRecords: number,
  ): Promise<string | null> {
    const statement = {
      name: `retention-surplus-${table}`,
      text: `SELECT id FROM ${table} WHERE ${groupColumn} = $1 ORDER BY id DESC OFFSET $2 LIMIT 1`,
    };
    const [found] = await this.database.run<{ id: string }>(statement, [groupId, maxRecords]);
    return found?.id ?? null;
  }

  /** Deletes a batch of a group's records up to this one. */
  deleteUpTo(
    { table, groupColumn }: SurplusPolicy,
    groupId: string,
    lastId: string,
  ): Promise<DeletedBatch> {
    const statement = {
      name: `retention-up-to-${table}`,
      text: `
        DELETE FROM ${table} WHERE ${groupColumn} = $1 AND id = ANY(ARRAY(
          SELECT id FROM ${table} WHERE ${groupColumn} = $1 AND id <= $2
          LIMIT ${String(BATCH_RECORDS)}
        ))
        RETURNING 1`,
    };
    return this.deleteBatch(statement, [groupId, lastId]);
  }

  private async deleteBatch(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<DeletedBatch> {
    const { length: count } = await this.database.run(statement, values);
    return { count, hasMore: count === BATCH_RECORDS };
  }
}

function deleteUnlocked(name: string, table: string, condition: string): Statement {
  return {
    name,
    text: `
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition}
        LIMIT ${String(BATCH_RECORDS)} FOR UPDATE SKIP LOCKED
      ))
      RETURNING 1`,
  };
}
