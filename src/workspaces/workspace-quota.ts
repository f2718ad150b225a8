import { Injectable } from '@nestjs/common';
import type { Quota } from '../auth/quota/quota.service';
import { AppConfig } from '../platform/config/app-config';
import { WorkspaceRepository } from './workspace.repository';

@Injectable()
export class WorkspaceQuota implements Quota {
  readonly kind = 'workspaces';
  readonly most: number | undefined;

  constructor(
    { quotaWorkspaces }: AppConfig,
    private readonly repository: WorkspaceRepository,
  ) {
    this.most = quotaWorkspaces;
  }

  async count(accountId: string): Promise<number> {
    return this.repository.count(accountId);
  }
}
