import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { OauthClientEntity } from './oauth.entity';

/** Deletes some applications that have expired, and those beyond `$1`, first those to expire first. */
const TRIM: Statement = {
  name: 'oauth-client-trim',
  text: `
    DELETE FROM oauth_clients WHERE id = ANY(ARRAY(
      (SELECT id FROM oauth_clients WHERE expires_at < now() ORDER BY expires_at LIMIT 100)
      UNION
      (SELECT id FROM oauth_clients ORDER BY expires_at LIMIT
        greatest(0, (SELECT count(*) FROM oauth_clients) - $1::int))
    ))`,
};

const KEEP: Statement = {
  name: 'oauth-client-keep',
  text: 'UPDATE oauth_clients SET expires_at = greatest(expires_at, $2) WHERE id = $1',
};

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

  /** Deletes expired applications, and the ones that expire first if there are more than `max`. */
  async trim(max: number): Promise<void> {
    await this.database.run(TRIM, [max]);
  }

  /** Keeps an application at least until a time. */
  async keepUntil(id: string, time: Date): Promise<void> {
    await this.database.run(KEEP, [id, time]);
  }
}
