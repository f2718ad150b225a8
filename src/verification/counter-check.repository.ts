import { Injectable } from '@nestjs/common';
import { counterLock } from '../datagrids/counter-lock-sql';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { Check, Finding, ProblemKind } from './problem';

/**
 * Locks the datagrid's counter row. Runs as its own statement so that later statements see rows
 * committed while it waited.
 */
const LOCK: Statement = {
  name: 'verify-lock-counter',
  ...counterLock('SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE'),
};

/**
 * The planner cannot know whether there are few or many problems. With many, a nested loop would
 * practically never finish.
 */
const PLAN: Statement = { name: 'verify-plan', text: 'SET LOCAL enable_nestloop = off' };

/**
 * Lower bounds of the counter: the largest id and revision of rows, of entries of the change log,
 * and of tombstones, which earlier releases wrote. `assigned` is the number of ids that were
 * assigned, according to the rows and the counts of deleted rows.
 */
const COUNTED = `
  SELECT r.count AS row_count, greatest(r.id, t.id, l.id) AS last_row_id,
    greatest(r.revision, t.revision, l.revision) AS revision, r.count + g.deleted AS assigned
  FROM (
    SELECT count(*) AS count, coalesce(max(id), 0) AS id, coalesce(max(revision), 0) AS revision
    FROM rows WHERE datagrid_id = $1
  ) r, (
    SELECT coalesce(max(row_id), 0) AS id, coalesce(max(revision), 0) AS revision
    FROM row_tombstones WHERE datagrid_id = $1
  ) t, (
    SELECT coalesce(max(greatest(
        first_id + row_count - 1, (SELECT max(id) FROM unnest(row_ids) AS named(id))
      )), 0) AS id, coalesce(max(revision), 0) AS revision
    FROM datagrid_changes WHERE datagrid_id = $1
  ) l, (
    SELECT coalesce(sum(deleted), 0)::bigint AS deleted
    FROM row_gaps WHERE datagrid_id = $1 AND level = 0
  ) g`;

const FIND: Statement = {
  name: 'verify-counter-find',
  text: `
    SELECT c.datagrid_id IS NOT NULL AS "hasCounter",
      c.row_count AS "rowCount", c.last_row_id AS "lastRowId", c.revision,
      n.row_count AS "rows", n.last_row_id AS "greatestId", n.revision AS "greatestRevision"
    FROM datagrids d
    LEFT JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN (${COUNTED}) n
    WHERE d.id = $1`,
};

/**
 * Raises the revision, so that clients do not keep a wrong page in their caches. The change log has
 * no entry for it, so that clients that follow the changes start over.
 */
const REPAIR: Statement = {
  name: 'verify-counter-repair',
  text: `
    UPDATE datagrid_counters c
    SET row_count = n.row_count, last_row_id = greatest(c.last_row_id, n.last_row_id),
      revision = greatest(c.revision, n.revision) + 1
    FROM (${COUNTED}) n WHERE c.datagrid_id = $1
    RETURNING c.datagrid_id`,
};

/** Creates the counter of a datagrid that has none. */
const CREATE: Statement = {
  name: 'verify-counter-create',
  text: `
    INSERT INTO datagrid_counters (datagrid_id, row_count, last_row_id, revision)
    SELECT $1::uuid, n.row_count, greatest(n.last_row_id, n.assigned), n.revision + 1
    FROM (${COUNTED}) n WHERE EXISTS (SELECT FROM datagrids WHERE id = $1)
    ON CONFLICT (datagrid_id) DO NOTHING`,
};

interface Counted {
  readonly hasCounter: boolean;
  readonly rowCount: number;
  readonly lastRowId: number;
  readonly revision: number;
  readonly rows: number;
  readonly greatestId: number;
  readonly greatestRevision: number;
}

/** Compares a datagrid's counter with its rows. */
@Injectable()
export class CounterCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  /** Blocks all writes to the datagrid until the end of the transaction. */
  async lock(datagridId: string): Promise<void> {
    await this.database.run(PLAN);
    await this.database.run(LOCK, [datagridId]);
  }

  async find(datagridId: string): Promise<Finding[]> {
    const [counted] = await this.database.run<Counted>(FIND, [datagridId]);
    // The datagrid was deleted in the meantime.
    if (!counted) return [];
    if (!counted.hasCounter) {
      const message = 'the datagrid has no counter: it cannot be read or written';
      return [{ kind: 'counter_missing', message, figures: { rows: counted.rows } }];
    }
    const { rowCount, lastRowId, revision, rows, greatestId, greatestRevision } = counted;
    return [
      ...unless(rowCount === rows, 'row_count', rowCount, rows, 'the number of rows'),
      ...unless(lastRowId >= greatestId, 'last_row_id', lastRowId, greatestId, 'the largest id'),
      ...unless(
        revision >= greatestRevision,
        'revision',
        revision,
        greatestRevision,
        'the largest revision',
      ),
    ];
  }

  async repair(datagridId: string): Promise<void> {
    const repaired = await this.database.run(REPAIR, [datagridId]);
    if (repaired.length === 0) await this.database.run(CREATE, [datagridId]);
  }
}

function unless(
  holds: boolean,
  kind: ProblemKind,
  stored: number,
  actual: number,
  what: string,
): Finding[] {
  if (holds) return [];
  const message = `${kind} is ${String(stored)}, expected ${String(actual)} (${what})`;
  return [{ kind, message, figures: { stored, actual } }];
}
