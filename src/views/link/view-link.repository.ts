import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { ViewLinkEntity } from './view-link.entity';

/** Finds links that have not expired, of accounts that are not suspended. */
const FIND_BY_HASHES: Statement = {
  name: 'view-link-find-by-hashes',
  text: `
    SELECT encode(l.token_hash, 'hex') AS hash, l.id, l.account_id AS "accountId",
      l.datagrid_id AS "datagridId", l.view_id AS "viewId", l.cursor_key AS "cursorKey",
      l.column_ids AS "columnIds",
      extract(epoch FROM now() - l.last_used_at)::float8 AS "usedAgoSeconds"
    FROM view_links l JOIN accounts a ON a.id = l.account_id
    WHERE l.token_hash = ANY(SELECT decode(h, 'hex') FROM unnest($1::text[]) h)
      AND (l.expires_at IS NULL OR l.expires_at > now()) AND NOT a.suspended`,
};

/** The condition keeps replicas from writing the same use again. */
const TOUCH: Statement = {
  name: 'view-link-touch',
  text: `
    UPDATE view_links SET last_used_at = now()
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= now() - make_interval(secs => $2))`,
};

const DELETE: Statement = {
  name: 'view-link-delete',
  text: `
    DELETE FROM view_links WHERE account_id = $1 AND datagrid_id = $2 AND view_id = $3
    RETURNING id`,
};

/** A link that works, as its readers use it. */
export interface FoundLink {
  readonly id: string;
  readonly accountId: string;
  readonly datagridId: string;
  readonly viewId: string;
  readonly cursorKey: Buffer;
  readonly columnIds: readonly number[];
  /** `null` if nobody has used it yet. */
  readonly usedAgoSeconds: number | null;
}

export type NewLink = Omit<ViewLinkEntity, 'lastUsedAt'>;

/** Public links of views. Every statement names the account, a token or a link that it found. */
@Injectable()
export class ViewLinkRepository {
  constructor(private readonly database: Database) {}

  /**
   * Finds the links that work, by the hashes of their tokens.
   * @param hashes In hexadecimal.
   */
  async findByHashes(hashes: readonly string[]): Promise<Map<string, FoundLink>> {
    const found = await this.database.run<FoundLink & { hash: string }>(FIND_BY_HASHES, [hashes]);
    return new Map(found.map(({ hash, ...link }) => [hash, link]));
  }

  /** @returns `null` if the view has no link. An expired link is returned. */
  async find(
    accountId: string,
    datagridId: string,
    viewId: string,
  ): Promise<ViewLinkEntity | null> {
    return this.database.repository(ViewLinkEntity).findOneBy({ accountId, datagridId, viewId });
  }

  async insert(link: NewLink): Promise<void> {
    await this.database.repository(ViewLinkEntity).insert(link);
  }

  /** @returns whether the view had a link. */
  async delete(accountId: string, datagridId: string, viewId: string): Promise<boolean> {
    return (await this.database.run(DELETE, [accountId, datagridId, viewId])).length > 0;
  }

  /** Writes the time of the last use, unless it was written in the last `everySeconds`. */
  async touch(id: string, everySeconds: number): Promise<void> {
    await this.database.run(TOUCH, [id, everySeconds]);
  }
}
