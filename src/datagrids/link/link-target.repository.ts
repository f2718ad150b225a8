import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { COLUMN_TYPE_NAMES, isLink } from '../column-type/column-type';
import { counterLock } from '../counter-lock-sql';

/**
 * Keeps datagrids out of the trash, and locks nothing else. Changes of columns lock datagrids before
 * their counters.
 */
const HOLD: Statement = {
  name: 'link-target-hold',
  text: `
    SELECT id FROM datagrids WHERE id = ANY($1::uuid[]) AND account_id = $2
    ORDER BY id FOR KEY SHARE`,
};

const LOCK: Statement = {
  name: 'link-target-lock',
  ...counterLock('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE'),
};

/** On Citus, the lock on a datagrid does not keep it out of the trash. The lock on its counter does. */
const PLACES: Statement = {
  name: 'link-target-places',
  text: `
    SELECT id, workspace_id AS "workspaceId", deleted_at IS NOT NULL AS "isTrashed"
    FROM datagrids WHERE id = ANY($1::uuid[]) AND account_id = $2`,
};

const COUNT: Statement = {
  name: 'link-target-count',
  text: `
    SELECT coalesce(cardinality(linked_by), 0) AS count FROM datagrid_counters
    WHERE datagrid_id = $1 AND NOT coalesce($2::uuid = ANY(linked_by), false)`,
};

/** Raises the version, so that deletions that were prepared before see the new links. */
const ATTACH: Statement = {
  name: 'link-target-attach',
  text: `
    UPDATE datagrid_counters
    SET linked_by = ARRAY(SELECT DISTINCT id FROM unnest(linked_by || $2::uuid) AS l(id) ORDER BY id),
      schema_version = schema_version + 1
    WHERE datagrid_id = $1`,
};

const LINK_TYPES = COLUMN_TYPE_NAMES.filter(isLink)
  .map((type) => `'${type}'`)
  .join(', ');

const SOURCES: Statement = {
  name: 'link-target-sources',
  text: `
    SELECT s.id FROM datagrid_counters c CROSS JOIN unnest(c.linked_by) AS s(id)
    WHERE c.datagrid_id = $1 AND s.id <> $1`,
};

const LINKS: Statement = {
  name: 'link-target-links',
  text: `
    SELECT k.key, k.options ->> 'datagridId' AS "targetId"
    FROM datagrids d
    JOIN datagrid_columns k ON k.datagrid_id = d.id AND k.removed_at IS NULL
    WHERE d.id = $1 AND k.datagrid_id = $1 AND ($2::boolean OR d.deleted_at IS NULL)
      AND k.type IN (${LINK_TYPES})`,
};

/**
 * Values of links to a purged datagrid become plain numbers and arrays. Citus cannot print a CASE that
 * compares one expression.
 */
const UNLINK: Statement = {
  name: 'link-target-unlink',
  text: `
    UPDATE datagrid_columns
    SET type = CASE WHEN type = 'link' THEN 'integer' ELSE 'json' END, options = '{}',
      version = version + 1
    WHERE datagrid_id = $1 AND type IN (${LINK_TYPES})
      AND options ->> 'datagridId' = ANY($2::text[])`,
};

export interface DatagridPlace {
  readonly id: string;
  readonly workspaceId: string;
  readonly isTrashed: boolean;
}

/** A link column of a datagrid. */
export interface LinkedColumn {
  readonly key: string;
  readonly targetId: string;
}

/** Datagrids that link columns link to. Use inside a transaction. */
@Injectable()
export class LinkTargetRepository {
  constructor(private readonly database: Database) {}

  /** Keeps datagrids of the account out of the trash until the end of the transaction. */
  async hold(accountId: string, ids: readonly string[]): Promise<void> {
    await this.database.run(HOLD, [ids, accountId]);
  }

  /** Takes the lock of a datagrid until the end of the transaction. */
  async lock(id: string): Promise<void> {
    await this.database.run(LOCK, [id]);
  }

  async listPlaces(accountId: string, ids: readonly string[]): Promise<DatagridPlace[]> {
    return this.database.run<DatagridPlace>(PLACES, [ids, accountId]);
  }

  /** Returns the number of datagrids that link to one, or 0 if `sourceId` is among them. */
  async countOthers(id: string, sourceId: string): Promise<number> {
    const [found] = await this.database.run<{ count: number }>(COUNT, [id, sourceId]);
    return found?.count ?? 0;
  }

  /** Records that a datagrid links to another. Requires the locks of both. */
  async attach(id: string, sourceId: string): Promise<void> {
    await this.database.run(ATTACH, [id, sourceId]);
  }

  /** Returns the other datagrids that link to this one, or did. */
  async listSources(id: string): Promise<string[]> {
    return (await this.database.run<{ id: string }>(SOURCES, [id])).map((row) => row.id);
  }

  /** Returns the link columns of a datagrid; none of one in the trash unless `mayBeTrashed`. */
  async listLinks(id: string, mayBeTrashed: boolean): Promise<LinkedColumn[]> {
    return this.database.run<LinkedColumn>(LINKS, [id, mayBeTrashed]);
  }

  /** Makes the columns of a datagrid that link to some datagrids plain columns. */
  async unlink(id: string, targetIds: readonly string[]): Promise<void> {
    await this.database.run(UNLINK, [id, targetIds]);
  }
}
