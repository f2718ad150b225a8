import type { Actor } from '../../auth/audit/audit-action';
import type { ChangeKind } from './datagrid-change.entity';

/** Author of a change. `userId` and `keyId` are `null` for an operator and for the service itself. */
export interface Author {
  /** Account of the author. Absent for an operator and for the service itself. */
  readonly accountId?: string;
  readonly userId: string | null;
  readonly keyId: string | null;
  /** Datagrids to which the key is limited; absent or `null` if it may use all of the workspace. */
  readonly onlyDatagridIds?: readonly string[] | null;
}

/** An author who belongs to an account: a signed-in user, or an API key. */
export interface Writer extends Author {
  readonly accountId: string;
  /** Session of the console; absent or `null` if there is none. */
  readonly sessionId?: string | null;
}

/**
 * Returns whose turns the slices of a change take: those of the author's account, or, for an operator, of the
 * datagrid.
 */
export function turnOwner({ accountId }: Author, datagridId: string): string {
  return accountId ?? datagridId;
}

/** Returns the author of the changes that an actor makes. */
export function authorOf(by: Actor): Author {
  return typeof by === 'string' || 'scimToken' in by ? { userId: null, keyId: null } : by;
}

/** The values of an entry, as SQL expressions. */
interface EntrySql {
  readonly revision: string;
  readonly at: string;
  readonly userId: string;
  readonly keyId: string;
  /** Default: 0. */
  readonly part?: string;
  /** Default: 1. */
  readonly revisions?: string;
  /** For created rows. */
  readonly firstId?: string;
  /** Default: 0. */
  readonly rowCount?: string;
  /** For updated and deleted rows. */
  readonly rowIds?: string;
}

/**
 * Returns an INSERT of entries of the change log of datagrid `$1`. The statement that raises the
 * revision contains it, or runs in the same transaction.
 * @param from A FROM clause with a row for each entry. Without it, the statement inserts one entry
 *   as plain VALUES, which costs less than to aggregate the ids of the rows in PostgreSQL.
 */
export function logChange(kind: ChangeKind, entry: EntrySql, from?: string): string {
  const { revision, part = '0', revisions = '1', firstId = 'NULL::bigint' } = entry;
  const { rowCount = '0', rowIds = 'NULL::bigint[]', userId, keyId, at } = entry;
  const rows = `'${kind}', ${firstId}, ${rowCount}, ${rowIds}`;
  const values = `$1, ${revision}, ${part}, ${revisions}, ${rows}, ${userId}, ${keyId}, ${at}`;
  return `
    INSERT INTO datagrid_changes (datagrid_id, revision, part, revisions, kind, first_id, row_count,
      row_ids, user_id, key_id, at)
    ${from === undefined ? `VALUES (${values})` : `SELECT ${values} ${from}`}`;
}

/**
 * Returns an UPDATE of the counter of datagrid `$1` that raises the revision for a change of the
 * datagrid itself, and logs the change. `$2` and `$3` are the user and the key of the author.
 * @param assignments Further assignments of the UPDATE.
 */
export function raiseForChange(kind: ChangeKind, assignments: string): string {
  const entry = { revision: 'revision', userId: '$2::uuid', keyId: '$3::uuid', at: 'at' };
  return `
    WITH raised AS (
      UPDATE datagrid_counters SET revision = revision + 1, ${assignments}
      WHERE datagrid_id = $1
      RETURNING revision, last_written_at
    ), dated AS MATERIALIZED (
      SELECT revision, greatest(last_written_at, clock_timestamp()) AS at FROM raised
    ), logged AS (${logChange(kind, entry, 'FROM dated')}
    )
    SELECT FROM dated`;
}

/** Returns SQL for the time at which datagrid `$1` was written at a revision, in milliseconds since 1970. */
export const atMs = (revision: string): string => `(
  SELECT (extract(epoch FROM l.at) * 1000)::bigint FROM datagrid_changes l
  WHERE l.datagrid_id = $1 AND l.revision = ${revision} ORDER BY l.part LIMIT 1
)`;
