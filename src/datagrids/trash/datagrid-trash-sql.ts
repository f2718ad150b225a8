import type { Statement } from '../../platform/database/statement';

/** Waits for column changes in progress, which lock the datagrid. */
const put = (name: string, condition: string, deletedWith: string): Statement => ({
  name,
  text: `
    WITH held AS (
      SELECT id FROM datagrids WHERE ${condition} AND deleted_at IS NULL ORDER BY id FOR UPDATE
    )
    UPDATE datagrids d SET deleted_at = now(), deleted_with = ${deletedWith}
    FROM held WHERE d.id = held.id
    RETURNING d.id`,
});

export const PUT = put('datagrid-trash-put', 'id = $1 AND account_id = $2', 'NULL');

export const PUT_ALL = put('datagrid-trash-put-all', 'workspace_id = $1', '$1');

/**
 * Waits for the write in progress. Writes that were checked before this commits are rejected. A
 * restored datagrid continues at a revision of its own.
 */
export const RAISE: Statement = {
  name: 'datagrid-trash-raise',
  text: `
    UPDATE datagrid_counters SET revision = revision + 1, schema_version = schema_version + 1
    WHERE datagrid_id = $1`,
};

export const RAISE_COLUMNS: Statement = {
  name: 'datagrid-trash-raise-columns',
  text: `
    UPDATE datagrid_columns SET version = version + 1
    WHERE datagrid_id = $1 AND removed_at IS NULL`,
};

export const FIND: Statement = {
  name: 'datagrid-trash-find',
  text: `
    SELECT name, workspace_id AS "workspaceId", deleted_with IS NOT NULL AS "isCompanion"
    FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL`,
};

export const RESTORE: Statement = {
  name: 'datagrid-trash-restore',
  text: `
    UPDATE datagrids SET deleted_at = NULL, version = version + 1
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL AND deleted_with IS NULL
    RETURNING id`,
};

export const RESTORE_ALL: Statement = {
  name: 'datagrid-trash-restore-all',
  text: `
    UPDATE datagrids SET deleted_at = NULL, deleted_with = NULL, version = version + 1
    WHERE workspace_id = $1 AND deleted_with = $1
    RETURNING id`,
};

const TRASHED = `
  SELECT id, account_id AS "accountId" FROM datagrids
  WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL AND deleted_with IS NULL`;

export const LOCK: Statement = { name: 'datagrid-trash-lock', text: `${TRASHED} FOR UPDATE` };

/** Skips datagrids that another replica is purging or that are being restored. */
export const LOCK_EXPIRED: Statement = {
  name: 'datagrid-trash-lock-expired',
  text: `
    ${TRASHED} AND deleted_at < now() - make_interval(secs => $3)
    FOR UPDATE SKIP LOCKED`,
};

export const LOCK_ALL: Statement = {
  name: 'datagrid-trash-lock-all',
  text: `
    SELECT id, account_id AS "accountId" FROM datagrids
    WHERE workspace_id = $1 AND deleted_at IS NOT NULL
    ORDER BY id FOR UPDATE`,
};

/** Deletes everything except the data that the purger deletes in batches. */
export const PURGE: Statement = {
  name: 'datagrid-trash-purge',
  text: `
    WITH counter AS (
      DELETE FROM datagrid_counters WHERE datagrid_id = $1
    ), columns AS (
      DELETE FROM datagrid_columns WHERE datagrid_id = $1
    ), datagrid AS (
      DELETE FROM datagrids WHERE id = $1
    )
    INSERT INTO datagrid_purges (datagrid_id, account_id) VALUES ($1, $2)`,
};
