import { Injectable } from '@nestjs/common';
import type { Caller, SessionCaller } from '../../common/caller/app-request';
import { AppError, notFound } from '../../common/error/app-error';
import { isUuid, newId, shorten } from '../../common/text/id';
import { DAY_MS } from '../../common/time/day';
import { Database } from '../../platform/database/database';
import { Logger } from '../../platform/logging/logger';
import { createSecretToken, hashSecretToken } from '../secret-token';
import { UserService } from '../user/user.service';
import {
  MAX_IDLE_DAYS,
  type ProviderPerson,
  type SessionRecord,
  SessionRepository,
} from './session.repository';

/** Days after which a session expires, regardless of use. */
const MAX_DAYS = 30;
/** Life of a session that a provider confirmed: it may not tell when the person leaves. */
const PROVIDER_SESSION_MS = 12 * 3_600_000;
/** Time for which a provider's sign-in proves the user for changes that a session alone must not make. */
const PROVIDER_PROOF_MS = 10 * 60_000;
/** More browsers than a user has. */
const MAX_SESSIONS_PER_USER = 50;
const MAX_USER_AGENT_LENGTH = 300;

/** Browser and address of a sign-in. */
export interface SignInClient {
  readonly userAgent: string | null;
  readonly address: string | null;
}

export interface DescribedSession extends SessionRecord {
  /** Until when the sign-in by a provider proves the user; `null` if no provider started the session. */
  readonly provesUntil: Date | null;
}

/** Session at a provider that confirmed a user. */
export interface ProviderSession {
  readonly providerId: string;
  /** `null` if the provider did not say. */
  readonly sessionId: string | null;
  /** When it ends; `null` if the provider did not say. */
  readonly endsAt: Date | null;
}

export interface StartedSession {
  /** Token for the cookie. It is returned only here. */
  readonly token: string;
  readonly expiresAt: Date;
  readonly caller: SessionCaller;
}

/**
 * Sessions of users who are signed in to the console. Sessions are not cached: when a session ends
 * or its user changes, this takes effect on the next request on every replica.
 */
@Injectable()
export class SessionService {
  private readonly lastUse: LastUse;

  constructor(
    private readonly database: Database,
    private readonly repository: SessionRepository,
    private readonly users: UserService,
    logger: Logger,
  ) {
    const write = (id: string): Promise<void> => repository.touch(id, LAST_USED_EVERY_SECONDS);
    this.lastUse = new LastUse('session', write, logger);
  }

  /**
   * Signs in a user whose credentials have been checked. If the user has too many sessions, the
   * least recently used ones end.
   * @param confirmedBy Provider that confirmed the user; `null` if the service did.
   */
  async start(
    userId: string,
    { userAgent, address }: SignInClient,
    confirmedBy: ProviderSession | null = null,
  ): Promise<StartedSession> {
    const token = createSecretToken();
    const id = newId();
    const now = new Date();
    const lifeMs = confirmedBy === null ? MAX_DAYS * DAY_MS : PROVIDER_SESSION_MS;
    const endsAtMs = confirmedBy?.endsAt?.getTime() ?? Infinity;
    const expiresAt = new Date(Math.min(now.getTime() + lifeMs, endsAtMs));
    await this.database.transaction(async () => {
      await this.users.lock(userId);
      await this.repository.insert({
        id,
        userId,
        providerId: confirmedBy?.providerId ?? null,
        providerSessionId: confirmedBy?.sessionId ?? null,
        tokenHash: hashSecretToken(token),
        userAgent: userAgent === null ? null : shorten(userAgent, MAX_USER_AGENT_LENGTH),
        address,
        createdAt: now,
        provenAt: now,
        lastUsedAt: now,
        expiresAt,
      });
      await this.repository.trim(userId, MAX_SESSIONS_PER_USER);
    });
    const caller = await this.repository.findById(id);
    if (!caller) throw notFound();
    return { token, expiresAt, caller };
  }

  /**
   * Returns the caller with this session token; `null` if the token is unknown or the session has
   * expired.
   */
  async authenticate(token: string): Promise<SessionCaller | null> {
    const found = await this.repository.findByToken(hashSecretToken(token));
    if (found && secondsUntilLastUseIsDue(found) === 0) this.lastUse.touch(found.sessionId);
    return found;
  }

  /** Returns the session's caller; `null` if the session has expired. */
  async findCaller(id: string): Promise<SessionCaller | null> {
    return this.repository.findById(id);
  }

  /** @throws AppError `unauthenticated` if the session of the caller has ended. */
  async requireLive({ sessionId }: Caller): Promise<void> {
    if (sessionId !== null && (await this.repository.findById(sessionId))) return;
    throw new AppError('unauthenticated', 'The session is no longer valid.');
  }

  /** Lists a user's sessions that have not expired, newest first. */
  async listOf(userId: string): Promise<SessionRecord[]> {
    return this.repository.listOf(userId);
  }

  /**
   * Returns a session of the user. `expiresAt` is when it expires if it makes no further request.
   * @throws AppError `not_found`
   */
  async get(userId: string, id: string): Promise<DescribedSession> {
    const session = (await this.listOf(userId)).find((each) => each.id === id);
    if (!session) throw notFound();
    const { providerId, createdAt } = session;
    const idleUntilMs = Date.now() + MAX_IDLE_DAYS * DAY_MS;
    return {
      ...session,
      expiresAt: new Date(Math.min(session.expiresAt.getTime(), idleUntilMs)),
      provesUntil: providerId === null ? null : new Date(createdAt.getTime() + PROVIDER_PROOF_MS),
    };
  }

  /** @throws AppError `not_found` if the user has no such session. */
  async end(userId: string, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.repository.delete(userId, id))) throw notFound();
  }

  /** Marks that the user of a session has signed in again. */
  async setProven({ sessionId }: Caller): Promise<void> {
    await this.repository.setProven(sessionId ?? '');
  }

  /** Ends the session with this token, if there is one. */
  async endByToken(token: string): Promise<void> {
    await this.repository.deleteByToken(hashSecretToken(token));
  }

  /** Ends the sessions of all users of an account but one that no provider started. */
  async endWithoutProvider(accountId: string, exemptUserId: string): Promise<void> {
    await this.repository.deleteWithoutProvider(accountId, exemptUserId);
  }

  /** Ends all sessions that a provider started. */
  async endOfProvider(providerId: string): Promise<void> {
    await this.repository.deleteOfProvider(providerId);
  }

  /** Ends sessions that a provider started. @returns their ids */
  async endOfPerson(providerId: string, person: ProviderPerson): Promise<string[]> {
    return this.repository.deleteOfPerson(providerId, person);
  }

  /** Ends all of a user's sessions except one; `null` ends all. */
  async endOthers(userId: string, keepId: string | null): Promise<void> {
    await this.repository.deleteOthers(userId, keepId);
  }
}

/** Minimum interval between writes of the last use of a key or a session. */
export const LAST_USED_EVERY_SECONDS = 300;

/** Returns the seconds until the last use is due to be written again; 0 if it is due now. */
export function secondsUntilLastUseIsDue({
  usedAgoSeconds,
}: {
  readonly usedAgoSeconds: number | null;
}): number {
  return usedAgoSeconds === null ? 0 : Math.max(0, LAST_USED_EVERY_SECONDS - usedAgoSeconds);
}

/** Writes last uses in the background. Requests neither wait for the write nor fail with it. */
export class LastUse {
  /** Ids whose last use this process is writing now. One write at a time is enough. */
  private readonly touching = new Set<string>();

  constructor(
    private readonly what: 'key' | 'session' | 'link' | 'scimToken',
    private readonly write: (id: string) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  touch(id: string): void {
    if (this.touching.has(id)) return;
    this.touching.add(id);
    this.write(id)
      .catch((error: unknown) => {
        const fields = { err: error, [`${this.what}Id`]: id };
        this.logger.pino.warn(fields, 'last use write failed');
      })
      .finally(() => this.touching.delete(id));
  }
}
