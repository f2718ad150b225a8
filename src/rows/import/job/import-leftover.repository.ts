import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import type { ImportFailure } from './import-report';
import * as sql from './import-sql';
import type { ImportPlace } from './import.repository';

/**
 * Ends imports of processes that have died, and deletes staged lines and old reports of any
 * process.
 */
@Injectable()
export class ImportLeftoverRepository {
  constructor(private readonly database: Database) {}

  /** Lists imports of all processes that are running or have staged lines left. */
  async list(): Promise<ImportPlace[]> {
    return this.database.run<ImportPlace>(sql.LIST_UNCLEARED);
  }

  /**
   * Ends an import whose process has died, and deletes some of its staged lines.
   * @returns whether more lines may be left.
   */
  async clearDead({ datagridId, id }: ImportPlace, failure: ImportFailure): Promise<boolean> {
    return this.database.transaction(async () => {
      const taken = await this.database.run(sql.TAKE_OVER, [datagridId, id]);
      if (taken.length === 0) return false;
      await this.database.run(sql.FINISH_DEAD, [datagridId, id, JSON.stringify(failure)]);
      return this.clear({ datagridId, id });
    });
  }

  /**
   * Deletes some staged lines of an import that has ended.
   * @returns whether more lines may be left.
   */
  async clear({ datagridId, id }: ImportPlace): Promise<boolean> {
    const [gone] = await this.database.run<{ count: number }>(sql.CLEAR, [datagridId, id]);
    if (gone?.count === sql.CLEAR_LINES) return true;
    await this.database.run(sql.MARK_CLEARED, [datagridId, id]);
    return false;
  }

  /** Deletes reports whose retention period is over. */
  async forget(): Promise<void> {
    await this.database.run(sql.FORGET);
  }
}
