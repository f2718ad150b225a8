import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { AppError } from '../common/error/app-error';
import type { Permission } from '../common/permission/permission';
import { ApiKeyService } from './api-key/api-key.service';
import { CallerCache, type CallerChange } from './api-key/caller-cache';
import { PermissionService } from './permission/permission.service';
import {
  dependsOnTarget,
  requireSecondFactor,
  requirePermission,
} from './permission/require-permission';
import { SessionService } from './session/session.service';

@Injectable()
export class CallerService {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly sessions: SessionService,
    private readonly permissions: PermissionService,
    private readonly cache: CallerCache,
  ) {}

  /** Calls a handler with every change after which `requireStill` may fail. Adding it again has no effect. */
  onChange(handle: (change: CallerChange) => void): void {
    this.cache.onChange(handle);
  }

  /** Whether all changes have been heard that were committed before the last moments. */
  get hearsChanges(): boolean {
    return this.cache.isCurrent;
  }

  /**
   * Checks that the caller of a long-running request is still valid and has the permission.
   * @param caller The caller as admitted when the request started.
   * @throws AppError `unauthenticated`, `account_suspended`, `forbidden` or `not_found`
   */
  async requireStill(caller: Caller, permission: Permission): Promise<void> {
    const now = await this.find(caller);
    if (now) {
      requireSecondFactor(now);
      if (dependsOnTarget(now)) await this.permissions.requireStillAt(now, permission, caller);
      else requirePermission(now, permission);
      return;
    }
    const { keyId, tokenHash } = caller;
    const what = keyId === null ? 'session' : tokenHash === undefined ? 'API key' : 'token';
    throw new AppError('unauthenticated', `The ${what} is no longer valid.`);
  }

  private async find({ keyId, tokenHash, sessionId }: Caller): Promise<Caller | null> {
    if (keyId !== null) return this.apiKeys.findCaller(keyId, tokenHash);
    return sessionId === null ? null : this.sessions.findCaller(sessionId);
  }
}
