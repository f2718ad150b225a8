import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** Number of datagrids that one statement looks up. */
const STEP = 1_000;

const REVISIONS: Statement = {
  name: 'change-revisions',
  text: `
    SELECT datagrid_id AS id, revision FROM datagrid_counters WHERE datagrid_id = ANY($1::uuid[])`,
};

/** Reads revisions of datagrids whose readers were authorized. */
@Injectable()
export class RevisionRepository {
  constructor(private readonly database: Database) {}

  /** Returns the revisions of those datagrids that exist. */
  async list(datagridIds: readonly string[]): Promise<Map<string, number>> {
    const revisions = new Map<string, number>();
    for (let from = 0; from < datagridIds.length; from += STEP) {
      const ids = datagridIds.slice(from, from + STEP);
      const found = await this.database.run<{ id: string; revision: number }>(REVISIONS, [ids]);
      for (const { id, revision } of found) revisions.set(id, revision);
    }
    return revisions;
  }
}
