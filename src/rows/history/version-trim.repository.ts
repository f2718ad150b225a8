import { Injectable } from '@nestjs/common';
import {
  type ExpiredDatagrid,
  listExpiredDatagrids,
} from '../../datagrids/trim/expired-datagrids.repository';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

/** Limits of the earlier versions that a datagrid keeps. */
export interface VersionRetention {
  readonly days: number;
  readonly maxVersions: number;
}

/** Finds datagrids whose oldest version has expired, or that have more than `$3` versions. */
const EXPIRED: Statement = {
  name: 'row-version-trim-expired',
  text: `
    SELECT c.datagrid_id AS id FROM datagrid_counters c
    WHERE c.datagrid_id = ANY($1::uuid[]) AND ((
      SELECT v.replaced_at FROM row_versions v
      WHERE v.datagrid_id = c.datagrid_id ORDER BY v.replaced_revision, v.row_id LIMIT 1
    ) < now() - make_interval(days => $2) OR EXISTS (
      SELECT v.row_id FROM row_versions v WHERE v.datagrid_id = c.datagrid_id OFFSET $3
    ))`,
};

/** Deletes those of the oldest `$3` versions that have expired, or that follow the newest `$4`. */
const TRIM: Statement = {
  name: 'row-version-trim',
  text: `
    WITH oldest AS (
      SELECT replaced_revision, row_id, replaced_at FROM row_versions
      WHERE datagrid_id = $1 ORDER BY replaced_revision, row_id LIMIT $3
    ), surplus AS (
      SELECT replaced_revision, row_id FROM row_versions
      WHERE datagrid_id = $1 ORDER BY replaced_revision DESC, row_id DESC OFFSET $4 LIMIT 1
    ), deleted AS (
      DELETE FROM row_versions v USING oldest o
      WHERE v.datagrid_id = $1 AND v.replaced_revision = o.replaced_revision
        AND v.row_id = o.row_id AND (
          o.replaced_at < now() - make_interval(days => $2) OR (o.replaced_revision, o.row_id) <= (
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
  async list({ days, maxVersions }: VersionRetention): Promise<ExpiredDatagrid[]> {
    return listExpiredDatagrids(this.database, (ids) =>
      this.database.run<{ id: string }>(EXPIRED, [ids, days, maxVersions]),
    );
  }

  /**
   * Deletes versions of a datagrid.
   * @param maxRows Number of versions to look at.
   * @returns the number of deleted versions; 0 if there is nothing left to delete.
   */
  async trim(
    datagridId: string,
    { days, maxVersions }: VersionRetention,
    maxRows: number,
  ): Promise<number> {
    const values = [datagridId, days, maxRows, maxVersions];
    const [deleted] = await this.database.run<{ count: number }>(TRIM, values);
    return deleted?.count ?? 0;
  }
}
