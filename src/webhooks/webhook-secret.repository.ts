import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** The keys of a webhook as they are stored. */
export interface StoredSecrets {
  readonly id: string;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  /** Whether the previous key still signs. */
  readonly isPreviousUsed: boolean;
}

const SELECT = `
    SELECT id, secret, previous_secret AS "previousSecret",
      coalesce(previous_secret_until > now(), false) AS "isPreviousUsed"
    FROM webhooks`;

const LIST: Statement = {
  name: 'webhook-secret-list',
  text: `${SELECT} WHERE id > $1 ORDER BY id LIMIT $2`,
};

const FIND: Statement = {
  name: 'webhook-secret-find',
  text: `${SELECT} WHERE id = $1`,
};

/** Changes nothing if a rotation was faster. */
const REPLACE: Statement = {
  name: 'webhook-secret-replace',
  text: `
    UPDATE webhooks SET secret = $4, previous_secret = $5
    WHERE id = $1 AND secret = $2 AND previous_secret IS NOT DISTINCT FROM $3
    RETURNING id`,
};

/** The stored keys of all webhooks, for operator commands. */
@Injectable()
export class WebhookSecretRepository {
  constructor(private readonly database: Database) {}

  /** Lists webhooks by id, after `afterId`. */
  async list(afterId: string, limit: number): Promise<StoredSecrets[]> {
    return this.database.run<StoredSecrets>(LIST, [afterId, limit]);
  }

  async find(id: string): Promise<StoredSecrets | null> {
    return (await this.database.run<StoredSecrets>(FIND, [id]))[0] ?? null;
  }

  /** Replaces the keys, if they are still those of `before`. @returns whether they were. */
  async replace(
    before: StoredSecrets,
    after: Pick<StoredSecrets, 'secret' | 'previousSecret'>,
  ): Promise<boolean> {
    const values = [before.id, before.secret, before.previousSecret];
    const keys = [after.secret, after.previousSecret];
    return (await this.database.run(REPLACE, [...values, ...keys])).length > 0;
  }
}
