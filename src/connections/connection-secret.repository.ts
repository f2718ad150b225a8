import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { SecretStore, StoredSecret } from '../platform/secrets/stored-secret.service';

const LIST: Statement = {
  name: 'connection-secret-list',
  text: `
    SELECT id, secret FROM connections WHERE id > $1 AND secret IS NOT NULL ORDER BY id LIMIT $2`,
};

const FIND: Statement = {
  name: 'connection-secret-find',
  text: 'SELECT id, secret FROM connections WHERE id = $1 AND secret IS NOT NULL',
};

/** Changes nothing if a user was faster. */
const REPLACE: Statement = {
  name: 'connection-secret-replace',
  text: 'UPDATE connections SET secret = $3 WHERE id = $1 AND secret = $2 RETURNING id',
};

/** The stored secrets of all connections, for operator commands. */
@Injectable()
export class ConnectionSecretRepository implements SecretStore {
  constructor(private readonly database: Database) {}

  async list(afterId: string, limit: number): Promise<StoredSecret[]> {
    return this.database.run<StoredSecret>(LIST, [afterId, limit]);
  }

  async find(id: string): Promise<StoredSecret | null> {
    return (await this.database.run<StoredSecret>(FIND, [id]))[0] ?? null;
  }

  async replace(before: StoredSecret, secret: Buffer): Promise<boolean> {
    return (await this.database.run(REPLACE, [before.id, before.secret, secret])).length > 0;
  }
}
