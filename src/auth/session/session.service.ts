import { Injectable } from '@nestjs/common';
import type { SessionCaller } from '../../common/caller/caller';
import { notFound } from '../../common/error/app-error';
import { isUuid, newId } from '../../common/text/id';
import { shorten } from '../../common/text/shorten';
import { Database } from '../../platform/database/database';
import { Logger } from '../../platform/logging/logger';
import { LAST_USED_EVERY_SECONDS, LastUse, secondsUntilTouch } from '../last-use';
import { createSecretToken, hashSecretToken } from '../secret-token';
import { UserService } from '../user/user.service';
import { MAX_IDLE_DAYS, SessionRepository, type SessionRecord } from './session.repository';

const DAY_MS = 86_400_000;
/** Days after which a session is over, however much it is used. */
const MAX_DAYS = 30;
/** More than anybody has browsers. */
const MAX_SESSIONS_PER_USER = 50;
const MAX_USER_AGENT_LENGTH = 300;

/** Where somebody signs in. */
export interface SignInPlace {
  readonly userAgent: string | null;
  readonly address: string | null;
}

export interface StartedSession {
  /** For the cookie. This is the only time that anyone sees it. */
  readonly token: string;
  readonly expiresAt: Date;
  readonly caller: SessionCaller;
}

/**
 * Users signed in to the console. Nothing of a session is remembered: what ends it, and what is
 * changed of its user, holds with the next request everywhere.
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

  /** Signs a user in, which must have been found right. Of very many sessions the oldest ends. */
  async start(userId: string, { userAgent, address }: SignInPlace): Promise<StartedSession> {
    const token = createSecretToken();
    const id = newId();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + MAX_DAYS * DAY_MS);
    await this.database.transaction(async () => {
      await this.users.lock(userId);
      await this.repository.insert({
        id,
        userId,
        tokenHash: hashSecretToken(token),
        userAgent: userAgent === null ? null : shorten(userAgent, MAX_USER_AGENT_LENGTH),
        address,
        createdAt: now,
        lastUsedAt: now,
        expiresAt,
      });
      await this.repository.trim(userId, MAX_SESSIONS_PER_USER);
    });
    const caller = await this.repository.findById(id);
    if (!caller) throw notFound();
    return { token, expiresAt, caller };
  }

  /** Who sends this token; `null` where it is unknown, or the session over. */
  async authenticate(token: string): Promise<SessionCaller | null> {
    const found = await this.repository.findByToken(hashSecretToken(token));
    if (found && secondsUntilTouch(found) === 0) this.lastUse.touch(found.sessionId);
    return found;
  }

  /** Whose session it is; `null` where it is over. */
  async findCaller(id: string): Promise<SessionCaller | null> {
    return this.repository.findById(id);
  }

  /** A user's sessions that are not over, the latest first. */
  async listOf(userId: string): Promise<SessionRecord[]> {
    return this.repository.listOf(userId);
  }

  /** When a session of the user is over if nothing more is asked with it. @throws AppError `not_found` */
  async expiryOf(userId: string, id: string): Promise<Date> {
    const session = (await this.listOf(userId)).find((each) => each.id === id);
    if (!session) throw notFound();
    const idleUntilMs = Date.now() + MAX_IDLE_DAYS * DAY_MS;
    return new Date(Math.min(session.expiresAt.getTime(), idleUntilMs));
  }

  /** @throws AppError `not_found` where the user has no such session. */
  async end(userId: string, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.repository.delete(userId, id))) throw notFound();
  }

  /** Ends the session of a token, if there is one. */
  async endByToken(token: string): Promise<void> {
    await this.repository.deleteByToken(hashSecretToken(token));
  }

  /** Ends all of a user's sessions but one; `null` leaves none. */
  async endOthers(userId: string, keepId: string | null): Promise<void> {
    await this.repository.deleteOthers(userId, keepId);
  }

  /** Forgets those that are over. */
  async clear(): Promise<void> {
    await this.repository.clear();
  }
}
