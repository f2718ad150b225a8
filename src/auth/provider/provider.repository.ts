import { Injectable } from '@nestjs/common';
import {
  type FindOptionsWhere,
  In,
  IsNull,
  LessThan,
  MoreThan,
  Not,
  type Repository,
} from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { SecretStore, StoredSecret } from '../../platform/secrets/stored-secret.service';
import {
  IdentityProviderEntity,
  ProviderLogoutEntity,
  ProviderSignInEntity,
  type SignInOutcome,
  UserIdentityEntity,
} from './provider.entity';

const LOCK: Statement = {
  name: 'provider-lock',
  text: 'SELECT FROM identity_providers WHERE id = $1 FOR UPDATE',
};

const HOLD_BINDING: Statement = {
  name: 'provider-hold-binding',
  text: `
    SELECT 1 FROM identity_providers p
    JOIN user_identities i ON i.provider_id = p.id
    WHERE p.id = $1 AND i.user_id = $2
    FOR KEY SHARE OF p`,
};

/** At most two of one account, so that no account hides the others. */
const OF_DOMAIN: Statement = {
  name: 'provider-of-domain',
  text: `
    SELECT id, name, issuer, sso_url AS "ssoUrl" FROM (
      SELECT id, name, issuer, sso_url, row_number() OVER (PARTITION BY account_id ORDER BY id) AS n
      FROM identity_providers WHERE new_user_domains && $1::text[]
    ) p WHERE n <= 2 ORDER BY id LIMIT 20`,
};

/** What a browser sees of a provider before a sign-in. */
export type OfferedProvider = Pick<IdentityProviderEntity, 'id' | 'name' | 'issuer' | 'ssoUrl'>;

export type ProviderRecord = Omit<IdentityProviderEntity, 'account'>;
export type ProviderSignIn = ProviderSignInEntity;

/** Expired sign-ins that are deleted with each new one, so that they do not pile up. */
const CLEANED = 10;

/** Time for which a logout is kept: longer than a sign-in may take. */
const NOTE_LIFETIME_MS = 20 * 60_000;

/** Condition of a sign-in whose response has not come. */
const waiting = (): FindOptionsWhere<ProviderSignInEntity> => ({
  codeHash: IsNull(),
  expiresAt: MoreThan(new Date()),
});

/** Identity providers. As a `SecretStore`, lists and replaces their client secrets by id. */
@Injectable()
export class ProviderRepository implements SecretStore {
  constructor(private readonly database: Database) {}

  /** Lists the providers of an account, oldest first. */
  async listOf(accountId: string): Promise<ProviderRecord[]> {
    return this.providers.find({ where: { accountId }, order: { id: 'ASC' } });
  }

  /** @returns `null` if the account has no such provider. */
  async findIn(accountId: string, id: string): Promise<ProviderRecord | null> {
    return this.providers.findOneBy({ accountId, id });
  }

  async findById(id: string): Promise<ProviderRecord | null> {
    return this.providers.findOneBy({ id });
  }

  /** Lists some providers with a domain of email addresses, in one of its forms: of each account the oldest ones, oldest first. */
  async listOfDomain(forms: readonly string[]): Promise<OfferedProvider[]> {
    return this.database.run<OfferedProvider>(OF_DOMAIN, [forms]);
  }

  /** Reads a provider, and keeps it from changing until the end of the transaction. Use inside a transaction. */
  async hold(id: string): Promise<ProviderRecord | null> {
    return this.providers.findOne({ where: { id }, lock: { mode: 'pessimistic_read' } });
  }

  async insert(provider: ProviderRecord): Promise<void> {
    await this.providers.insert(provider);
  }

  /** @returns `false` if there is none anymore. */
  async update(id: string, change: Partial<ProviderRecord>): Promise<boolean> {
    const { affected } = await this.providers.update({ id }, change);
    return affected === 1;
  }

  /** Waits for sign-ins that hold the provider. Use inside a transaction. */
  async lock(id: string): Promise<void> {
    await this.database.run(LOCK, [id]);
  }

  /** Unbinds all persons of a provider. */
  async unbindAll(id: string): Promise<void> {
    await this.identities.delete({ providerId: id });
  }

  /** Returns whether a user is bound. Keeps the provider until the end of the transaction. */
  async holdBinding(providerId: string, userId: string): Promise<boolean> {
    return (await this.database.run(HOLD_BINDING, [providerId, userId])).length === 1;
  }

  /** Deletes a provider with its identities. Their users stay. */
  async delete(id: string): Promise<void> {
    await this.identities.delete({ providerId: id });
    await this.providers.delete({ id });
  }

  /** Returns the id of the user who is a person of a provider; `null` if there is none. */
  async findUser(providerId: string, subject: string): Promise<string | null> {
    return (await this.identities.findOneBy({ providerId, subject }))?.userId ?? null;
  }

  /** @returns `false` if the user is another person of the provider. */
  async bind(providerId: string, subject: string, userId: string): Promise<boolean> {
    const inserted = await this.identities
      .createQueryBuilder()
      .insert()
      .values({ providerId, subject, userId })
      .orIgnore()
      .returning('user_id')
      .execute();
    return (inserted.raw as unknown[]).length === 1;
  }

  /** Stores a sign-in that goes to a provider, and deletes some that have expired. */
  async putSignIn(signIn: ProviderSignIn): Promise<void> {
    const expired = await this.signIns.find({
      select: { stateHash: true },
      where: { expiresAt: LessThan(new Date()) },
      order: { expiresAt: 'ASC' },
      take: CLEANED,
    });
    if (expired.length > 0) {
      await this.signIns.delete({ stateHash: In(expired.map(({ stateHash }) => stateHash)) });
    }
    await this.signIns.insert(signIn);
  }

  /** Stores a logout, and deletes some that have expired. @returns `false` if it is known. */
  async putLogout(logout: ProviderLogoutEntity): Promise<boolean> {
    const logouts = this.database.repository(ProviderLogoutEntity);
    const expired = await logouts.find({
      where: { expiresAt: LessThan(new Date()) },
      order: { expiresAt: 'ASC' },
      take: CLEANED,
    });
    for (const { providerId, keyHash } of expired) await logouts.delete({ providerId, keyHash });
    const inserted = await logouts
      .createQueryBuilder()
      .insert()
      .values(logout)
      .orIgnore()
      .returning('provider_id')
      .execute();
    return (inserted.raw as unknown[]).length === 1;
  }

  /** Notes when a person or a session has ended at a provider, for sign-ins that are on their way. */
  async noteLogout(providerId: string, keyHash: Buffer, at: Date): Promise<void> {
    const expiresAt = new Date(at.getTime() + NOTE_LIFETIME_MS);
    await this.database
      .repository(ProviderLogoutEntity)
      .upsert({ providerId, keyHash, expiresAt }, ['providerId', 'keyHash']);
  }

  /** Returns whether a person or a session has ended at a provider since a time. */
  async hasLogoutSince(
    providerId: string,
    keyHashes: readonly Buffer[],
    since: Date,
  ): Promise<boolean> {
    return this.database.repository(ProviderLogoutEntity).existsBy({
      providerId,
      keyHash: In([...keyHashes]),
      expiresAt: MoreThan(new Date(since.getTime() + NOTE_LIFETIME_MS)),
    });
  }

  /** Deletes and returns a sign-in that has not expired; `null` if there is none for this browser. */
  async takeSignIn(
    providerId: string,
    stateHash: Buffer,
    browserHash: Buffer,
  ): Promise<ProviderSignIn | null> {
    const key = { providerId, stateHash, browserHash };
    const found = await this.signIns.findOneBy({ ...key, expiresAt: MoreThan(new Date()) });
    const { affected } = await this.signIns.delete(key);
    return affected === 1 ? found : null;
  }

  /** Returns whether a sign-in has not expired and waits for its response. */
  async isWaiting(providerId: string, stateHash: Buffer): Promise<boolean> {
    return this.signIns.existsBy({ providerId, stateHash, ...waiting() });
  }

  /**
   * Notes the code of a browser that has brought the response to a sign-in, before the response is checked: of several
   * responses, one is.
   * @returns `null` if no such sign-in waits for a response.
   */
  async claimSignIn(
    providerId: string,
    stateHash: Buffer,
    codeHash: Buffer,
  ): Promise<ProviderSignIn | null> {
    const key = { providerId, stateHash };
    const { affected } = await this.signIns.update({ ...key, ...waiting() }, { codeHash });
    return affected === 1 ? this.signIns.findOneBy(key) : null;
  }

  /** Stores what the response to a sign-in says. */
  async respondSignIn(stateHash: Buffer, codeHash: Buffer, outcome: SignInOutcome): Promise<void> {
    await this.signIns.update({ stateHash, codeHash }, { outcome });
  }

  /** Ends the sign-ins that have begun at a provider. */
  async dropSignIns(providerId: string): Promise<void> {
    await this.signIns.delete({ providerId });
  }

  async list(afterId: string, limit: number): Promise<StoredSecret[]> {
    const found = await this.providers.find({
      select: { id: true, clientSecret: true },
      where: { id: MoreThan(afterId), clientSecret: Not(IsNull()) },
      order: { id: 'ASC' },
      take: limit,
    });
    return found.flatMap(({ id, clientSecret: secret }) => (secret ? [{ id, secret }] : []));
  }

  async find(id: string): Promise<StoredSecret | null> {
    const found = await this.findById(id);
    return found?.clientSecret ? { id, secret: found.clientSecret } : null;
  }

  async replace({ id, secret: before }: StoredSecret, secret: Buffer): Promise<boolean> {
    const { affected } = await this.providers.update(
      { id, clientSecret: before },
      { clientSecret: secret },
    );
    return affected === 1;
  }

  private get providers(): Repository<IdentityProviderEntity> {
    return this.database.repository(IdentityProviderEntity);
  }

  private get identities(): Repository<UserIdentityEntity> {
    return this.database.repository(UserIdentityEntity);
  }

  private get signIns(): Repository<ProviderSignInEntity> {
    return this.database.repository(ProviderSignInEntity);
  }
}
