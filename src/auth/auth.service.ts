import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller/caller';
import { AppConfig } from '../platform/config/app-config';
import { ApiKeyService } from './api-key/api-key.service';
import type { MeDto } from './dto/me.dto';
import { UserService } from './user/user.service';

@Injectable()
export class AuthService {
  constructor(
    private readonly config: AppConfig,
    private readonly apiKeys: ApiKeyService,
    private readonly users: UserService,
  ) {}

  /** Whose key the caller uses, and what it may do. */
  async describe(caller: Caller): Promise<MeDto> {
    const key = await this.apiKeys.get(caller.keyId);
    const { user, account } = await this.users.getWithAccount(caller.userId);
    return {
      key: { id: key.id, name: key.name, expiresAt: key.expiresAt?.toISOString() ?? null },
      user: { id: user.id, email: user.email },
      account: { id: account.id, name: account.name },
      role: caller.role,
      limits: {
        requests: this.config.rateLimitRequests,
        windowSeconds: this.config.rateLimitWindowSeconds,
      },
    };
  }
}
