import type { Statement } from '../../platform/database/text-query';

const RECORD = `
  i.id, i.datagrid_id AS "datagridId", i.options, i.state, i.total_bytes AS "totalBytes",
  i.read_bytes AS "readBytes", i.rows_read AS "rowsRead", i.created, i.updated, i.unchanged,
  i.refused AS rejected, i.first_revision AS "firstRevision", i.last_revision AS "lastRevision",
  i.next_line AS "nextLine", i.created_columns AS "createdColumns", i.failure,
  i.started_at AS "startedAt", i.finished_at AS "finishedAt",
  extract(epoch FROM coalesce(i.finished_at, now()) - i.started_at)::float8 AS seconds`;

/** Condition: the account has the datagrid, and it is not in the trash. */
const IS_LIVING = `
  EXISTS (SELECT FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL)`;

/** Time during which an idempotency key identifies an import. */
const KEY_LASTS = `interval '24 hours'`;

/** Frees the key if its import was started longer ago than KEY_LASTS. */
export const FREE_KEY: Statement = {
  name: 'import-free-key',
  text: `
    UPDATE imports SET idempotency_key = NULL
    WHERE account_id = $1 AND user_id = $2 AND idempotency_key = $3
      AND started_at <= now() - ${KEY_LASTS}`,
};

export const FIND_BY_KEY: Statement = {
  name: 'import-find-by-key',
  text: `
    SELECT ${RECORD}, i.errors, i.request_hash AS "requestHash" FROM imports i
    WHERE i.account_id = $1 AND i.user_id = $2 AND i.idempotency_key = $3
      AND i.started_at > now() - ${KEY_LASTS}`,
};

/** Maximum number of reports kept per datagrid: without a current key, of scheduled imports, and with one. */
const KEPT = 1_000;
const KEPT_SCHEDULED = 100;
const KEPT_BY_KEY = 10_000;

/** Deletes a datagrid's oldest reports, so that it keeps no more than these. */
export const FORGET_OLDEST: Statement = {
  name: 'import-forget-oldest',
  text: `
    WITH over AS (
      SELECT id, is_cleared, row_number() OVER (PARTITION BY is_named, is_scheduled ORDER BY id DESC) AS place,
        is_named, is_scheduled
      FROM (
        SELECT id, is_cleared, user_id IS NULL AS is_scheduled,
          idempotency_key IS NOT NULL AND started_at > now() - ${KEY_LASTS} AS is_named
        FROM imports WHERE datagrid_id = $1
      ) i
    )
    DELETE FROM imports WHERE datagrid_id = $1 AND id IN (
      SELECT id FROM over
      WHERE is_cleared
        AND place > CASE WHEN is_named THEN ${String(KEPT_BY_KEY)}
          WHEN is_scheduled THEN ${String(KEPT_SCHEDULED)} ELSE ${String(KEPT)} END
    )`,
};

export const INSERT: Statement = {
  name: 'import-insert',
  text: `
    INSERT INTO imports (datagrid_id, id, account_id, user_id, options, total_bytes,
      idempotency_key, request_hash, next_line)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

export const FIND: Statement = {
  name: 'import-find',
  text: `
    SELECT ${RECORD}, i.errors FROM imports i
    WHERE i.datagrid_id = $1 AND i.account_id = $2 AND i.id = $3 AND ${IS_LIVING}`,
};

/**
 * Returns the report to the client that started the import, even if the datagrid has been deleted
 * in the meantime.
 */
export const FIND_STARTED: Statement = {
  name: 'import-find-started',
  text: `
    SELECT ${RECORD}, i.errors FROM imports i
    WHERE i.datagrid_id = $1 AND i.account_id = $2 AND i.id = $3`,
};

/** The total and the page come from one snapshot. An empty page is one row without an id. */
export const LIST: Statement = {
  name: 'import-list',
  text: `
    SELECT t.total, l.*
    FROM (SELECT count(*) AS total FROM imports WHERE datagrid_id = $1) t
    LEFT JOIN LATERAL (
      SELECT ${RECORD} FROM imports i WHERE i.datagrid_id = $1
      ORDER BY i.id DESC OFFSET $3 LIMIT $4
    ) l ON true
    WHERE ${IS_LIVING}
    ORDER BY l.id DESC`,
};

/**
 * Stores the progress that the running process reports. `$6` is null if no further line was
 * rejected. `$7` is the file's format.
 */
export const BEAT: Statement = {
  name: 'import-beat',
  text: `
    UPDATE imports
    SET read_bytes = $3, rows_read = $4, refused = $5, errors = coalesce($6, errors),
      options = options || $7::jsonb, updated_at = now()
    WHERE datagrid_id = $1 AND id = $2 AND state = 'running'
    RETURNING id`,
};

/**
 * Stores the result of a step, with the exact counts of the lines before `next_line`. `$9` is null
 * if the errors did not change, as in `BEAT`. `$10` is the revision before the step, whose transaction
 * has the lock of the datagrid. A step that changed no row has no revision.
 */
export const ADVANCE: Statement = {
  name: 'import-advance',
  text: `
    WITH counter AS MATERIALIZED (
      SELECT revision FROM datagrid_counters WHERE datagrid_id = $1
    )
    UPDATE imports i
    SET created = created + $3, updated = updated + $4, unchanged = unchanged + $5,
      next_line = $6, rows_behind = $7, refused_behind = $8,
      errors_behind = coalesce($9, errors_behind), updated_at = now(),
      first_revision = CASE WHEN c.revision > $10::bigint
        THEN coalesce(first_revision, $10::bigint + 1) ELSE first_revision END,
      last_revision = CASE WHEN c.revision > $10::bigint THEN c.revision ELSE last_revision END
    FROM counter c
    WHERE i.datagrid_id = $1 AND i.id = $2 AND i.state = 'running'
    RETURNING i.id`,
};

export const NOTE_COLUMNS: Statement = {
  name: 'import-note-columns',
  text: 'UPDATE imports SET created_columns = $3 WHERE datagrid_id = $1 AND id = $2',
};

export const FINISH: Statement = {
  name: 'import-finish',
  text: `
    UPDATE imports i
    SET state = $3, failure = $4, finished_at = now(), updated_at = now(), errors_behind = '[]',
      next_line = CASE WHEN $3 = 'completed' THEN NULL ELSE next_line END
    WHERE datagrid_id = $1 AND id = $2 AND state = 'running'
    RETURNING ${RECORD}, i.errors`,
};

/** An import that is ended by another process reports only what its steps have committed. */
const AS_COMMITTED = 'rows_read = rows_behind, refused = refused_behind, errors = errors_behind';

export const FINISH_DEAD: Statement = {
  name: 'import-finish-dead',
  text: `
    UPDATE imports
    SET state = 'failed', failure = $3, finished_at = now(), updated_at = now(),
      ${AS_COMMITTED}
    WHERE datagrid_id = $1 AND id = $2 AND state = 'running'`,
};

export const CANCEL: Statement = {
  name: 'import-cancel',
  text: `
    UPDATE imports
    SET state = 'cancelled', failure = $4, finished_at = now(), updated_at = now(),
      ${AS_COMMITTED}
    WHERE datagrid_id = $1 AND account_id = $2 AND id = $3 AND state = 'running'
    RETURNING id`,
};

export const LIST_UNCLEARED: Statement = {
  name: 'import-list-uncleared',
  text: `
    SELECT datagrid_id AS "datagridId", id FROM imports WHERE NOT is_cleared ORDER BY id`,
};

/** Takes a lock that the staging session holds as long as the import's process lives. */
export const HOLD = `SELECT pg_advisory_lock(hashtextextended('import ' || $1, 0))`;

/**
 * Takes over an import whose process has died and therefore no longer holds the lock. Also takes
 * over an import that has not reported progress for 2 minutes.
 */
export const TAKE_OVER: Statement = {
  name: 'import-take-over',
  text: `
    SELECT id FROM imports
    WHERE datagrid_id = $1 AND id = $2 AND NOT is_cleared
      AND (updated_at < now() - interval '2 minutes'
        OR pg_try_advisory_xact_lock(hashtextextended('import ' || $2::text, 0)))`,
};

/** Number of lines that one cleanup step deletes. */
export const CLEAR_LINES = 5_000;

/**
 * Deletes some staged lines of an import that has ended. Selects them by ctid, because the planner
 * has no statistics of a table that is filled and emptied all the time, and could choose any join.
 */
export const CLEAR: Statement = {
  name: 'import-clear',
  text: `
    WITH gone AS (
      DELETE FROM import_lines WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
        SELECT ctid FROM import_lines WHERE datagrid_id = $1 AND import_id = $2
        LIMIT ${String(CLEAR_LINES)}
      ))
      RETURNING 1
    )
    SELECT count(*) AS count FROM gone`,
};

export const MARK_CLEARED: Statement = {
  name: 'import-mark-cleared',
  text: `
    UPDATE imports SET is_cleared = true
    WHERE datagrid_id = $1 AND id = $2 AND state <> 'running'`,
};
