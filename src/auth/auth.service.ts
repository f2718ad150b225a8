import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { notFound } from '../common/error/app-error';
import { AppConfig } from '../platform/config/app-config';
import { keyAccessOf } from './api-key/key-access';
import { ApiKeyService } from './api-key/api-key.service';
import type { MeDto, CurrentKeyDto } from './dto/me.dto';
import { SessionService } from './session/session.service';
import { UserService } from './user/user.service';

@Injectable()
export class AuthService {
  constructor(
    private readonly config: AppConfig,
    private readonly apiKeys: ApiKeyService,
    private readonly sessions: SessionService,
    private readonly users: UserService,
  ) {}

  /** Describes the caller: its key, user, account, role and limits. */
  async describe(caller: Caller): Promise<MeDto> {
    const { user, account } = await this.users.getWithAccount(caller.userId);
    return {
      key: await this.describeKey(caller),
      user: { id: user.id, email: user.email },
      account: { id: account.id, name: account.name },
      role: caller.role,
      workspaceRoles: Object.entries(caller.workspaceRoles ?? {}).map(([workspaceId, role]) => ({
        workspaceId,
        role,
      })),
      limits: {
        requests: this.config.rateLimitRequests,
        accountRequests: this.config.accountRateLimitRequests,
        windowSeconds: this.config.rateLimitWindowSeconds,
      },
    };
  }

  /** Describes the key or, for a user of the console, the session. */
  private async describeKey(caller: Caller): Promise<CurrentKeyDto> {
    const { keyId, sessionId, userId } = caller;
    const access = keyAccessOf(caller);
    if (keyId !== null) {
      const { id, name, expiresAt } = await this.apiKeys.get(keyId);
      return { id, name, expiresAt: expiresAt?.toISOString() ?? null, ...access };
    }
    if (sessionId === null) throw notFound();
    const { expiresAt } = await this.sessions.get(userId, sessionId);
    return { id: sessionId, name: 'Console', expiresAt: expiresAt.toISOString(), ...access };
  }
}
