/** The write that replaces versions, as SQL expressions. */
interface ReplacingWriteSql {
  /** Alias of a table with the columns of the rows before the write, as in `rows`. */
  readonly from: string;
  readonly isDeletion: boolean;
  /** Whether the history of the datagrid is on. */
  readonly isHistory: boolean;
  readonly revision: string;
  readonly at: string;
  readonly userId: string;
  readonly keyId: string;
}

/** Returns the columns of `rows` that a version stores, qualified with an alias. */
export const versionColumns = (row: string): string =>
  ['id', 'revision', '"values"', 'created_at', 'updated_at']
    .map((column) => `${row}.${column}`)
    .join(', ');

/**
 * Returns an INSERT of the versions of datagrid `$1` that a write replaces. The statement that
 * changes the rows contains it. Rows that the same write has created have no version. Deleted rows
 * enter the trash.
 */
export function storeVersions(write: ReplacingWriteSql): string {
  const { from, isDeletion, isHistory, revision, at, userId, keyId } = write;
  return `
    INSERT INTO row_versions (datagrid_id, replaced_revision, row_id, revision, "values",
      created_at, updated_at, replaced_at, is_deletion, in_trash, is_history, user_id, key_id)
    SELECT $1, ${revision}, v.id, v.revision, v."values", v.created_at, v.updated_at, ${at},
      ${String(isDeletion)}, ${String(isDeletion)}, ${String(isHistory)}, ${userId}, ${keyId}
    FROM ${from} v WHERE v.revision < ${revision}`;
}
