import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { type ExpiredDatagrid, listExpiredDatagrids } from '../trim/expired-datagrids.repository';
import { ChangeLogReaders } from './change-log-readers';

/**
 * Returns SQL for a property of the entry after the oldest revision of datagrid `c`. Once this entry
 * has expired, the oldest revision can be deleted.
 */
const followingSql = (property: 'revision' | 'at'): string => `(
  SELECT next.${property} FROM datagrid_changes next
  WHERE next.datagrid_id = c.datagrid_id AND next.revision > (
    SELECT min(oldest.revision) FROM datagrid_changes oldest
    WHERE oldest.datagrid_id = c.datagrid_id
  )
  ORDER BY next.revision LIMIT 1
)`;

/** Finds datagrids with expired entries. Reads two entries of each datagrid by the primary key. */
const EXPIRED: Statement = {
  name: 'change-log-trim-expired',
  text: `
    SELECT c.datagrid_id AS id, ${followingSql('revision')} AS revision,
      ${followingSql('at')} < now() - make_interval(days => $3) AS "isPastMaximum"
    FROM datagrid_counters c
    WHERE c.datagrid_id = ANY($1::uuid[]) AND ${followingSql('at')} < now() - make_interval(days => $2)`,
};

/**
 * Deletes the oldest entries, up to the last one of the first `$3` that has expired, which is kept.
 * An entry after revision `$4` expires after `$5` days. If all of these entries have one revision,
 * deletes that revision if the next one has expired.
 */
const TRIM: Statement = {
  name: 'change-log-trim',
  text: `
    WITH oldest AS (
      SELECT revision, at FROM datagrid_changes
      WHERE datagrid_id = $1 ORDER BY revision, part LIMIT $3
    ), kept AS (
      SELECT max(revision) AS revision FROM (
        SELECT revision, at FROM oldest
        UNION ALL (
          SELECT revision, at FROM datagrid_changes
          WHERE datagrid_id = $1 AND revision > (SELECT min(revision) FROM oldest)
          ORDER BY revision LIMIT 1
        )
      ) entry
      WHERE at < now() - make_interval(days =>
        CASE WHEN $4::bigint IS NULL OR revision <= $4::bigint THEN $2::int ELSE $5::int END)
    ), deleted AS (
      DELETE FROM datagrid_changes
      WHERE datagrid_id = $1 AND revision < (SELECT revision FROM kept)
      RETURNING 1
    )
    SELECT count(*) AS count FROM deleted`,
};

/** Days after which entries are deleted. */
export interface LogRetention {
  readonly days: number;
  /** The same for entries that a reader has not read yet. At least `days`. */
  readonly maxDays: number;
}

interface ExpiredRow {
  readonly id: string;
  readonly revision: number;
  readonly isPastMaximum: boolean;
}

/**
 * Deletes expired entries of the change log. Always keeps the last expired one: a reader whose
 * position is there proves with its time that it has read this history and not that of a backup.
 * Entries that a stored reader has not read yet are kept longer.
 */
@Injectable()
export class ChangeLogTrimRepository {
  constructor(
    private readonly database: Database,
    private readonly readers: ChangeLogReaders,
  ) {}

  /** Lists datagrids with entries to delete, at most MAX_LISTED_JOBS of each account. */
  async list({ days, maxDays }: LogRetention): Promise<ExpiredDatagrid[]> {
    return listExpiredDatagrids(this.database, async (ids) => {
      const found = await this.database.run<ExpiredRow>(EXPIRED, [ids, days, maxDays]);
      const read = await this.readers.findReadRevisions(found.map(({ id }) => id));
      return found.filter(
        ({ id, revision, isPastMaximum }) =>
          isPastMaximum || revision <= (read.get(id) ?? revision),
      );
    });
  }

  /**
   * Deletes expired entries of a datagrid.
   * @param maxEntries Number of entries to look at.
   * @returns the number of deleted entries; 0 if there is nothing left to delete.
   */
  async trim(
    datagridId: string,
    { days, maxDays }: LogRetention,
    maxEntries: number,
  ): Promise<number> {
    const read = (await this.readers.findReadRevisions([datagridId])).get(datagridId) ?? null;
    const values = [datagridId, days, maxEntries, read, maxDays];
    const [deleted] = await this.database.run<{ count: number }>(TRIM, values);
    return deleted?.count ?? 0;
  }
}
