import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../common/time/day';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { OauthClientEntity } from './oauth.entity';

/**
 * Deletes expired applications, and of those without a grant the ones beyond `$2`, first those unused longest. Never the
 * application `$1`. One without a grant expires within `$3` seconds; one with a grant later, so that it
 * neither counts nor makes room.
 */
const TRIM: Statement = {
  name: 'oauth-client-trim',
  text: `
    WITH unused AS (
      SELECT id, expires_at FROM oauth_clients
      WHERE expires_at <= now() + make_interval(secs => $3) AND id <> $1
    )
    DELETE FROM oauth_clients WHERE id = ANY(ARRAY(
      (SELECT id FROM unused WHERE expires_at <= now() ORDER BY expires_at LIMIT 100)
      UNION
      (SELECT id FROM unused ORDER BY expires_at LIMIT
        greatest(0, (SELECT count(*) FROM unused) + 1 - $2::int))
    ))`,
};

const KEEP: Statement = {
  name: 'oauth-client-keep',
  text: `
    UPDATE oauth_clients SET expires_at = greatest(expires_at, $2::timestamptz + make_interval(secs => $3))
    WHERE id = $1`,
};

/** Before `RELEASE`, so that it sees the grants of those who held the lock. */
const LOCK: Statement = {
  name: 'oauth-client-lock',
  text: 'SELECT FROM oauth_clients WHERE id = $1 FOR UPDATE',
};

/** The end of the last grant that is left, or now. */
const RELEASE: Statement = {
  name: 'oauth-client-release',
  text: `
    UPDATE oauth_clients SET expires_at = least(expires_at, make_interval(secs => $2) + greatest(now(), (
      SELECT max(g.expires_at) FROM oauth_grants g
      JOIN api_keys k ON k.id = g.id
      WHERE g.client_id = $1::text AND g.code_used_at IS NOT NULL AND k.revoked_at IS NULL
    )))
    WHERE id = $1::uuid`,
};

/** Time for which an application without a grant is kept. */
export const UNUSED_LIFETIME_MS = 30 * DAY_MS;
const UNUSED_LIFETIME_SECONDS = UNUSED_LIFETIME_MS / 1_000;

/** Applications that have registered themselves. */
@Injectable()
export class OauthClientRepository {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<OauthClientEntity | null> {
    return this.database.repository(OauthClientEntity).findOneBy({ id });
  }

  async insert(client: OauthClientEntity): Promise<void> {
    await this.database.repository(OauthClientEntity).insert(client);
  }

  /**
   * Deletes expired applications, and the ones unused longest if more than `max` have no grant.
   * @param newest An application that is not deleted.
   */
  async trim(max: number, newest: string): Promise<void> {
    await this.database.run(TRIM, [newest, max, UNUSED_LIFETIME_SECONDS]);
  }

  /** Keeps an application until some time after a grant ends. Use in the transaction that uses its code. */
  async keepFor(id: string, expiresAt: Date): Promise<void> {
    await this.database.run(KEEP, [id, expiresAt, UNUSED_LIFETIME_SECONDS]);
  }

  /** Keeps an application only as long as its other grants need it. Use in the transaction that ends one. */
  async release(id: string): Promise<void> {
    await this.database.run(LOCK, [id]);
    await this.database.run(RELEASE, [id, UNUSED_LIFETIME_SECONDS]);
  }
}
