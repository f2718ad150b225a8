import { Injectable } from '@nestjs/common';
import type { ChangeKind } from '../datagrids/change-log/datagrid-change.entity';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { timeText, VISIBLE_VALUES } from '../rows/storage/row-json-sql';

/** Maximum number of conflicting rows that an error names. */
export const MAX_NAMED_CONFLICTS = 10;

/** An entry of the change log. */
export interface UndoneEntry {
  readonly kind: ChangeKind;
  readonly revision: number;
  readonly revisions: number;
  readonly firstId: number | null;
  readonly rowCount: number;
  /** `null` for created rows, and if the write changed more rows than the maximum. */
  readonly rowIds: readonly number[] | null;
}

/** Rows of a write that were written again since. */
export interface Conflicts {
  readonly count: number;
  /** Ids of the first few. */
  readonly ids: readonly number[];
}

/** Number of rows of a write, and those that conflict with its undo. */
export interface UndoState {
  readonly rows: number;
  readonly conflicts: Conflicts;
}

export interface StoredState extends UndoState {
  /** Numbers of rows without conflicts that the write updated and deleted. */
  readonly updated: number;
  readonly deleted: number;
}

/** Values of a row before the write. */
export interface ReplacedRow {
  readonly id: number;
  readonly createdAt: string;
  /** Values by column key, as JSON text. */
  readonly values: string;
}

/** Versions to read after a row. */
export interface VersionStep {
  readonly isDeletion: boolean;
  readonly afterId: number;
  readonly maxRows: number;
  /** Size of the values, as stored. The last row can exceed it. */
  readonly maxBytes: number;
}

/** The entries of the write `$2`. Ids are read only if there are at most `$3` rows. */
const ENTRIES: Statement = {
  name: 'undo-entries',
  text: `
    SELECT kind, revision, revisions, first_id AS "firstId", row_count AS "rowCount",
      CASE WHEN sum(row_count) OVER () <= $3::bigint THEN to_json(row_ids) END AS "rowIds"
    FROM datagrid_changes
    WHERE datagrid_id = $1 AND revision - revisions < $2 AND revision = (
      SELECT min(revision) FROM datagrid_changes WHERE datagrid_id = $1 AND revision >= $2
    )
    ORDER BY part`,
};

const counted = (isConflict: string): string => `
  count(*) AS rows, json_build_object('count', count(*) FILTER (WHERE ${isConflict}), 'ids',
    coalesce(to_json((array_agg(id ORDER BY id) FILTER (WHERE ${isConflict}))[1:${String(MAX_NAMED_CONFLICTS)}]), '[]')
  ) AS conflicts`;

/** Rows that the write `$2` created and that still exist. */
const CREATED: Statement = {
  name: 'undo-created',
  text: `
    SELECT ${counted('revision <> $2')} FROM rows
    WHERE datagrid_id = $1 AND id = ANY($3::bigint[])`,
};

const CREATED_IDS: Statement = {
  name: 'undo-created-ids',
  text: `
    SELECT id FROM rows
    WHERE datagrid_id = $1 AND id = ANY($3::bigint[]) AND revision = $2 ORDER BY id`,
};

const REPLACED = `
  SELECT v.row_id AS id, v.is_deletion, v."values", v.created_at, CASE WHEN v.is_deletion
    THEN r.id IS NOT NULL ELSE r.revision IS DISTINCT FROM $2 END AS is_conflict
  FROM row_versions v LEFT JOIN rows r ON r.datagrid_id = $1 AND r.id = v.row_id
  WHERE v.datagrid_id = $1 AND v.replaced_revision = $2`;

const STORED: Statement = {
  name: 'undo-stored',
  text: `
    SELECT ${counted('is_conflict')},
      count(*) FILTER (WHERE NOT is_deletion AND NOT is_conflict) AS updated,
      count(*) FILTER (WHERE is_deletion AND NOT is_conflict) AS deleted
    FROM (${REPLACED}) v`,
};

const VERSIONS: Statement = {
  name: 'undo-versions',
  text: `
    SELECT r.id, (${VISIBLE_VALUES})::text AS values, ${timeText('r.created_at')} AS "createdAt"
    FROM datagrids d CROSS JOIN LATERAL (
      SELECT *, sum(pg_column_size("values")) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)
        - pg_column_size("values") AS start
      FROM (
        SELECT * FROM (${REPLACED} AND v.row_id > $4) v
        WHERE is_deletion = $3 AND NOT is_conflict ORDER BY id LIMIT $5
      ) v
    ) r
    WHERE d.id = $1 AND r.start < $6::bigint
    ORDER BY r.id`,
};

/** Reads what a write changed. Use it in a transaction that holds the datagrid's lock. */
@Injectable()
export class UndoRepository {
  constructor(private readonly database: Database) {}

  /** Returns the entries of a write; none if they have expired. */
  async listEntries(datagridId: string, revision: number, maxRows: number): Promise<UndoneEntry[]> {
    return this.database.run<UndoneEntry>(ENTRIES, [datagridId, revision, maxRows]);
  }

  /** Counts those of the rows that exist, and those that were written since. */
  async countCreated(
    datagridId: string,
    revision: number,
    ids: readonly number[],
  ): Promise<UndoState> {
    const [state] = await this.database.run<UndoState>(CREATED, [datagridId, revision, ids]);
    return state ?? NOTHING;
  }

  /** Returns those of the rows that exist and were not written since. */
  async listUnchangedIds(
    datagridId: string,
    revision: number,
    ids: readonly number[],
  ): Promise<number[]> {
    const values = [datagridId, revision, ids];
    return (await this.database.run<{ id: number }>(CREATED_IDS, values)).map(({ id }) => id);
  }

  /** Counts the versions that the write stored, and the rows that were written since. */
  async countStored(datagridId: string, revision: number): Promise<StoredState> {
    const [state] = await this.database.run<StoredState>(STORED, [datagridId, revision]);
    return state ?? { ...NOTHING, updated: 0, deleted: 0 };
  }

  /** Returns the next versions without conflicts, in the order of the rows. */
  async listVersions(
    datagridId: string,
    revision: number,
    { isDeletion, afterId, maxRows, maxBytes }: VersionStep,
  ): Promise<ReplacedRow[]> {
    const values = [datagridId, revision, isDeletion, afterId, maxRows, maxBytes];
    return this.database.run<ReplacedRow>(VERSIONS, values);
  }
}

const NOTHING: UndoState = { rows: 0, conflicts: { count: 0, ids: [] } };
