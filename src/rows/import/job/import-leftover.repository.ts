import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import type { ImportFailure } from './import-report';
import * as sql from './import-sql';
import type { ImportPlace } from './import.repository';

/** What imports leave behind, of processes that live and of those that don't. */
@Injectable()
export class ImportLeftoverRepository {
  constructor(private readonly database: Database) {}

  /** Imports that are running or have left lines, of every process. */
  async list(): Promise<ImportPlace[]> {
    return this.database.run<ImportPlace>(sql.LIST_UNCLEARED);
  }

  /**
   * Ends an import whose process has ended, and clears some of its lines away.
   * @returns whether there may be more of them.
   */
  async clearDead({ datagridId, id }: ImportPlace, failure: ImportFailure): Promise<boolean> {
    return this.database.transaction(async () => {
      const taken = await this.database.run(sql.TAKE_OVER, [datagridId, id]);
      if (taken.length === 0) return false;
      await this.database.run(sql.FINISH_DEAD, [datagridId, id, JSON.stringify(failure)]);
      return this.clear({ datagridId, id });
    });
  }

  /** Clears some lines of an import that is over. @returns whether there may be more of them. */
  async clear({ datagridId, id }: ImportPlace): Promise<boolean> {
    const [gone] = await this.database.run<{ count: number }>(sql.CLEAR, [datagridId, id]);
    if (gone?.count === sql.CLEAR_LINES) return true;
    await this.database.run(sql.MARK_CLEARED, [datagridId, id]);
    return false;
  }

  /** Forgets reports that are too old. */
  async forget(): Promise<void> {
    await this.database.run(sql.FORGET);
  }
}
