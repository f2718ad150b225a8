import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { AppError } from '../common/error/app-error';
import type { Permission } from '../common/permission/permission';
import { ApiKeyService } from './api-key/api-key.service';
import { requirePermission } from './permission.guard';
import { SessionService } from './session/session.service';

@Injectable()
export class CallerService {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Checks that the caller of a long-running request is still valid and has the permission.
   * @throws AppError `unauthenticated`, `account_suspended` or `forbidden`
   */
  async requireStill(caller: Caller, permission: Permission): Promise<void> {
    const now = await this.find(caller);
    if (now) {
      requirePermission(now, permission);
      return;
    }
    const what = caller.keyId === null ? 'session' : 'API key';
    throw new AppError('unauthenticated', `The ${what} is no longer valid.`);
  }

  private async find({ keyId, sessionId }: Caller): Promise<Caller | null> {
    if (keyId !== null) return this.apiKeys.findCaller(keyId);
    return sessionId === null ? null : this.sessions.findCaller(sessionId);
  }
}
