import { Injectable } from '@nestjs/common';
import {
  type ExpiredDatagrid,
  listExpiredDatagrids,
} from '../datagrids/trim/expired-datagrids.repository';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** Limits of the earlier versions that a datagrid keeps. */
export interface VersionRetention {
  readonly historyDays: number;
  /** Days for which rows are in the trash. */
  readonly trashDays: number;
  readonly maxVersions: number;
}

/** Returns SQL for whether version `v` has expired, after `$2` days of history or `$3` days of trash. */
const isExpired = (v: string): string => `${v}.replaced_at < now() - make_interval(days => CASE
      WHEN NOT ${v}.is_history THEN $3::int
      WHEN ${v}.in_trash THEN greatest($2::int, $3::int)
      ELSE $2::int END)`;

/** Finds datagrids whose oldest version has expired, or that have more than `$4` versions. */
const EXPIRED: Statement = {
  name: 'row-version-trim-expired',
  text: `
    SELECT c.datagrid_id AS id FROM datagrid_counters c
    WHERE c.datagrid_id = ANY($1::uuid[]) AND ((
      SELECT ${isExpired('v')} FROM row_versions v
      WHERE v.datagrid_id = c.datagrid_id ORDER BY v.replaced_revision, v.row_id LIMIT 1
    ) OR EXISTS (
      SELECT v.row_id FROM row_versions v WHERE v.datagrid_id = c.datagrid_id OFFSET $4
    ))`,
};

/**
 * Deletes those of the oldest `$4` versions that have expired, or that follow the newest `$5`. If
 * older versions are kept longer than newer ones, the newer ones may wait for them.
 */
const TRIM: Statement = {
  name: 'row-version-trim',
  text: `
    WITH oldest AS (
      SELECT replaced_revision, row_id, replaced_at, is_history, in_trash FROM row_versions
      WHERE datagrid_id = $1 ORDER BY replaced_revision, row_id LIMIT $4
    ), surplus AS (
      SELECT replaced_revision, row_id FROM row_versions
      WHERE datagrid_id = $1 ORDER BY replaced_revision DESC, row_id DESC OFFSET $5 LIMIT 1
    ), deleted AS (
      DELETE FROM row_versions v USING oldest o
      WHERE v.datagrid_id = $1 AND v.replaced_revision = o.replaced_revision
        AND v.row_id = o.row_id AND (
          ${isExpired('o')} OR (o.replaced_revision, o.row_id) <= (
            SELECT s.replaced_revision, s.row_id FROM surplus s
          )
        )
      RETURNING 1
    )
    SELECT count(*) AS count FROM deleted`,
};

/** Deletes versions of rows, the oldest of a datagrid first. */
@Injectable()
export class VersionTrimRepository {
  constructor(private readonly database: Database) {}

  /** Lists datagrids with versions to delete, at most MAX_LISTED_JOBS of each account. */
  async list(retention: VersionRetention): Promise<ExpiredDatagrid[]> {
    const { historyDays, trashDays, maxVersions } = retention;
    return listExpiredDatagrids(this.database, (ids) =>
      this.database.run<{ id: string }>(EXPIRED, [ids, historyDays, trashDays, maxVersions]),
    );
  }

  /**
   * Deletes versions of a datagrid.
   * @param maxRows Number of versions to look at.
   * @returns the number of deleted versions; 0 if there is nothing left to delete.
   */
  async trim(
    datagridId: string,
    { historyDays, trashDays, maxVersions }: VersionRetention,
    maxRows: number,
  ): Promise<number> {
    const values = [datagridId, historyDays, trashDays, maxRows, maxVersions];
    const [deleted] = await this.database.run<{ count: number }>(TRIM, values);
    return deleted?.count ?? 0;
  }
}
