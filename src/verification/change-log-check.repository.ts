import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { Check, Finding } from './problem';

/**
 * Common table expression that computes `hole`: each place where the entries of the change log do
 * not continue at the revision before them, or the last entry is not at the datagrid's revision. It
 * has the revisions around the hole. Entries of one revision have one place together. A datagrid
 * without entries has no holes: the log begins with the next write.
 */
const HOLES = `
  WITH hole AS (
    SELECT after, before
    FROM (
      SELECT lag(revision) OVER (ORDER BY revision) AS after, revision - revisions AS before
      FROM (
        SELECT revision, max(revisions) AS revisions FROM datagrid_changes
        WHERE datagrid_id = $1 GROUP BY revision
      ) write
      UNION ALL
      SELECT (SELECT max(revision) FROM datagrid_changes WHERE datagrid_id = $1), revision
      FROM datagrid_counters WHERE datagrid_id = $1
    ) place
    WHERE after <> before AND EXISTS (SELECT FROM datagrids WHERE id = $1)
  )`;

const FIND: Statement = {
  name: 'verify-change-log-find',
  text: `
    ${HOLES}
    SELECT count(*) AS holes, min(after) AS after, max(before) AS before FROM hole`,
};

/** Deletes the entries up to the last hole. Clients that have not read them yet start over. */
const REPAIR: Statement = {
  name: 'verify-change-log-repair',
  text: `
    ${HOLES}
    DELETE FROM datagrid_changes
    WHERE datagrid_id = $1 AND revision <= (SELECT max(greatest(after, before)) FROM hole)`,
};

interface Holes {
  readonly holes: number;
  readonly after: number;
  readonly before: number;
}

/** Checks that the entries of the change log cover every revision since the oldest entry. */
@Injectable()
export class ChangeLogCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const [found] = await this.database.run<Holes>(FIND, [datagridId]);
    if (!found || found.holes === 0) return [];
    const { holes, after, before } = found;
    const message =
      `the change log has ${String(holes)} holes between revisions ${String(after)} and ` +
      `${String(before)}: clients that follow the changes start over`;
    return [{ kind: 'change_log', message, figures: { holes, after, before } }];
  }

  async repair(datagridId: string): Promise<void> {
    await this.database.run(REPAIR, [datagridId]);
  }
}
