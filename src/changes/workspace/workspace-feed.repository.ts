import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { WatchState } from '../change-watch';
import { Buckets, MAX_BUCKETS, type WorkspacePosition } from './workspace-cursor';

/** A datagrid in a bucket that has changed. */
export interface ChangedDatagrid {
  readonly id: string;
  /** The bucket, among those of the reader's cursor. */
  readonly bucket: number;
  /** Whether it is in the trash. */
  readonly isDeleted: boolean;
  readonly name: string;
  readonly rowCount: number;
  readonly revision: number;
  /** In milliseconds since 1970, as `updatedAtMs`. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** State of a workspace at one moment, and the datagrids to return to a reader. */
export interface WorkspaceRead {
  readonly buckets: Buckets;
  /** Number of datagrids that are not in the trash. */
  readonly total: number;
  /** Up to one more than requested. In the order of buckets, beginning with the position's. */
  readonly changed: readonly ChangedDatagrid[];
}

const BUCKET = `(uuid_hash_extended(d.id, 0) & ${String(MAX_BUCKETS - 1)})::int`;

/**
 * Hash of what a reader gets of a datagrid, in 48 bits. Every write changes the revision, and every
 * other change the version. With the time of the last write it also differs if a backup was restored
 * and new writes have reached the same revision.
 */
const HASH = `(
  hashint8extended(c.revision, uuid_hash_extended(d.id,
    coalesce(timestamp_hash_extended(c.last_written_at AT TIME ZONE 'UTC', d.version), d.version)
  )) & x'0000ffffffffffff'::bigint)`;

const MILLISECONDS = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::bigint`;

/**
 * Reads all datagrids of the workspace in one snapshot, and returns the hashes of their buckets and
 * the datagrids of those buckets that differ from a reader's. `$3` is the greatest number of the
 * reader's buckets, `$4` has their hashes, `$5` is the bucket with which the page begins, `$6` the
 * id after which it begins if that bucket is open, and `$7` the maximum number of datagrids.
 */
const READ: Statement = {
  name: 'workspace-feed-read',
  text: `
    WITH state AS MATERIALIZED (
      SELECT d.id, d.name, d.created_at, d.updated_at, d.deleted_at IS NOT NULL AS is_deleted,
        c.row_count, c.revision, ${BUCKET} AS fine, ${HASH} AS hash
      FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
      WHERE d.workspace_id = $1 AND d.account_id = $2
    ), digest AS MATERIALIZED (
      SELECT fine, bit_xor(hash) AS hash, count(*) AS count FROM state
      WHERE NOT is_deleted GROUP BY fine
    ), changed AS (
      SELECT bucket, coalesce(k.hash, 0) <> 0 AS is_known
      FROM (SELECT fine & $3::int AS bucket, bit_xor(hash) AS hash FROM digest GROUP BY 1) f
      FULL JOIN (
        SELECT (number - 1)::int AS bucket, hash
        FROM unnest($4::bigint[]) WITH ORDINALITY AS known(hash, number)
      ) k USING (bucket)
      WHERE coalesce(f.hash, 0) <> coalesce(k.hash, 0) OR (bucket = $5::int AND $6::uuid IS NOT NULL)
    ), page AS (
      SELECT (m.bucket - $5::int) & $3::int AS turn, m.bucket, s.*
      FROM changed m JOIN state s ON s.fine & $3::int = m.bucket
      WHERE (NOT s.is_deleted OR m.is_known OR (m.bucket = $5::int AND $6::uuid IS NOT NULL))
        AND (m.bucket <> $5::int OR $6::uuid IS NULL OR s.id > $6::uuid)
      ORDER BY turn, s.id LIMIT $7::int
    )
    SELECT (SELECT coalesce(sum(count), 0)::bigint FROM digest) AS total,
      (SELECT coalesce(json_agg(json_build_array(fine, hash)), '[]') FROM digest) AS hashes,
      (
        SELECT coalesce(json_agg(json_build_object('id', id, 'bucket', bucket,
          'isDeleted', is_deleted, 'name', name, 'rowCount', row_count, 'revision', revision,
          'createdAtMs', ${MILLISECONDS('created_at')},
          'updatedAtMs', ${MILLISECONDS('updated_at')}) ORDER BY turn, id), '[]')
        FROM page
      ) AS changed
    FROM workspaces w WHERE w.id = $1 AND w.account_id = $2 AND w.deleted_at IS NULL`,
};

/** Reads the state of workspaces whose readers were authorized. */
const STATES: Statement = {
  name: 'workspace-feed-states',
  text: `
    SELECT w.id, count(c.datagrid_id) AS total, coalesce(bit_xor(${HASH}), 0) AS hash
    FROM workspaces w
    LEFT JOIN datagrids d ON d.workspace_id = w.id AND d.deleted_at IS NULL
    LEFT JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE w.id = ANY($1::uuid[]) AND w.deleted_at IS NULL
    GROUP BY w.id`,
};

const WORKSPACES_OF: Statement = {
  name: 'workspace-feed-workspaces-of',
  text: `
    SELECT id AS "datagridId", workspace_id AS "workspaceId" FROM datagrids
    WHERE id = ANY($1::uuid[])`,
};

/** State of a workspace: its number of datagrids, and the XOR of their hashes. */
export interface WorkspaceState {
  readonly total: number;
  readonly state: WatchState;
}

/** Reads the datagrids of a workspace that have changed. */
@Injectable()
export class WorkspaceFeedRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param limit Maximum number of datagrids; 0 to read the hashes only.
   * @returns `null` if the account has no such workspace.
   */
  async read(
    accountId: string,
    workspaceId: string,
    { known, next, open }: WorkspacePosition,
    limit: number,
  ): Promise<WorkspaceRead | null> {
    const [read] = await this.database.run<{
      total: number;
      hashes: [number, number][];
      changed: ChangedDatagrid[];
    }>(READ, [
      workspaceId,
      accountId,
      known.count - 1,
      known.toNumbers(),
      next,
      open?.afterId ?? null,
      limit === 0 ? 0 : limit + 1,
    ]);
    if (!read) return null;
    return { total: read.total, buckets: Buckets.of(read.hashes), changed: read.changed };
  }

  /** Returns the states of those workspaces that exist. */
  async listStates(workspaceIds: readonly string[]): Promise<Map<string, WorkspaceState>> {
    const found = await this.database.run<{ id: string; total: number; hash: number }>(STATES, [
      workspaceIds,
    ]);
    return new Map(
      found.map(({ id, total, hash }) => [id, { total, state: stateOf(total, hash) }]),
    );
  }

  /** Returns the workspace of each datagrid that exists. */
  async listWorkspaces(
    datagridIds: readonly string[],
  ): Promise<{ readonly datagridId: string; readonly workspaceId: string }[]> {
    return this.database.run(WORKSPACES_OF, [datagridIds]);
  }
}

/** Returns a state that the poll can compare. @param hash XOR of the hashes of all datagrids. */
export function stateOf(total: number, hash: number): WatchState {
  return `${String(total)} ${String(hash)}`;
}
