import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { ExpiringRecords } from './expiring-sql';

/** Number of records of one step. */
const STEP_RECORDS = 10_000;

type Surplus = NonNullable<ExpiringRecords['surplus']>;

/** Deletes records of one table in steps. Every instance does; they skip records that another has locked. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Deletes a step of the expired records. @returns whether there may be more. */
  async deleteExpired(
    { table, expired }: ExpiringRecords,
    days: number | undefined,
  ): Promise<boolean> {
    const statement = {
      name: `retention-expired-${nameOf(table)}`,
      text: `
        DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM ${table} WHERE ${expired}
          LIMIT ${String(STEP_RECORDS)} FOR UPDATE SKIP LOCKED
        ))
        RETURNING 1`,
    };
    const values = days === undefined ? [] : [days];
    return (await this.database.run(statement, values)).length === STEP_RECORDS;
  }

  /** Returns the next group, by id after `groupId`, that has records; `null` at the end. */
  async findNextGroup(
    { table }: ExpiringRecords,
    { groupedBy }: Surplus,
    groupId: string,
  ): Promise<string | null> {
    const statement = {
      name: `retention-next-${nameOf(table)}`,
      text: `
        SELECT ${groupedBy} AS id FROM ${table}
        WHERE ${groupedBy} > $1 ORDER BY ${groupedBy} LIMIT 1`,
    };
    const [next] = await this.database.run<{ id: string }>(statement, [groupId]);
    return next?.id ?? null;
  }

  /** Returns the newest record of a group beyond the last `kept`; `null` if there is none. */
  async findLastBeyond(
    { table }: ExpiringRecords,
    { groupedBy }: Surplus,
    groupId: string,
    kept: number,
  ): Promise<string | null> {
    const statement = {
      name: `retention-beyond-${nameOf(table)}`,
      text: `SELECT id FROM ${table} WHERE ${groupedBy} = $1 ORDER BY id DESC OFFSET $2 LIMIT 1`,
    };
    const [last] = await this.database.run<{ id: string }>(statement, [groupId, kept]);
    return last?.id ?? null;
  }

  /** Deletes a step of a group's records up to this one. @returns whether there may be more. */
  async deleteUpTo(
    { table }: ExpiringRecords,
    { groupedBy }: Surplus,
    groupId: string,
    lastId: string,
  ): Promise<boolean> {
    const statement = {
      name: `retention-surplus-${nameOf(table)}`,
      text: `
        DELETE FROM ${table} WHERE ${groupedBy} = $1 AND id = ANY(ARRAY(
          SELECT id FROM ${table} WHERE ${groupedBy} = $1 AND id <= $2
          LIMIT ${String(STEP_RECORDS)}
        ))
        RETURNING 1`,
    };
    return (await this.database.run(statement, [groupId, lastId])).length === STEP_RECORDS;
  }
}

/** Returns the name of a table without its alias. */
function nameOf(table: string): string {
  return table.split(' ', 1).join('');
}
