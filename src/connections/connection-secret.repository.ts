import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** The secret of a connection as it is stored. */
export interface StoredSecret {
  readonly id: string;
  readonly secret: Buffer;
}

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
export class ConnectionSecretRepository {
  constructor(private readonly database: Database) {}

  /** Lists secrets by the id of the connection, after `afterId`. */
  async list(afterId: string, limit: number): Promise<StoredSecret[]> {
    return this.database.run<StoredSecret>(LIST, [afterId, limit]);
  }

  async find(id: string): Promise<StoredSecret | null> {
    return (await this.database.run<StoredSecret>(FIND, [id]))[0] ?? null;
  }

  /** Replaces a secret, if it is still that of `before`. @returns whether it was. */
  async replace(before: StoredSecret, secret: Buffer): Promise<boolean> {
    return (await this.database.run(REPLACE, [before.id, before.secret, secret])).length > 0;
  }
}
