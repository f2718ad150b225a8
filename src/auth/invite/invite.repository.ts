import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { UserInviteEntity } from './user-invite.entity';

const FIND: Statement = {
  name: 'invite-find',
  text: `
    SELECT u.id AS "userId", u.account_id AS "accountId", u.email, a.name AS "accountName", i.expires_at AS "expiresAt",
      u.suspended OR a.suspended AS suspended,
      EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id) AS "hasPassword"
    FROM user_invites i
    JOIN users u ON u.id = i.user_id
    JOIN accounts a ON a.id = u.account_id
    WHERE i.token_hash = $1 AND i.expires_at > now()`,
};

/** Takes an invite. Of two concurrent transactions, the second one finds no row. */
const TAKE: Statement = {
  name: 'invite-take',
  text: 'DELETE FROM user_invites WHERE token_hash = $1 AND expires_at > now() RETURNING user_id AS "userId"',
};

export interface FoundInvite {
  readonly userId: string;
  readonly accountId: string;
  readonly email: string;
  readonly accountName: string;
  readonly expiresAt: Date;
  readonly suspended: boolean;
  readonly hasPassword: boolean;
}

@Injectable()
export class InviteRepository {
  constructor(private readonly database: Database) {}

  /** Stores a user's invite and replaces an earlier one. */
  async put(invite: Omit<UserInviteEntity, 'user'>): Promise<void> {
    await this.database.repository(UserInviteEntity).upsert(invite, ['userId']);
  }

  /** @returns `null` if there is no valid invite with this token. */
  async find(tokenHash: Buffer): Promise<FoundInvite | null> {
    const [found] = await this.database.run<FoundInvite>(FIND, [tokenHash]);
    return found ?? null;
  }

  async deleteOf(userId: string): Promise<void> {
    await this.database.repository(UserInviteEntity).delete({ userId });
  }

  /**
   * Consumes an invite.
   * @returns the user's id; `null` if there is no valid invite with this token.
   */
  async take(tokenHash: Buffer): Promise<string | null> {
    const [taken] = await this.database.run<{ userId: string }>(TAKE, [tokenHash]);
    return taken?.userId ?? null;
  }
}
