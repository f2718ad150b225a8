import { Injectable } from '@nestjs/common';
import type { Quota } from '../../auth/quota/quota.service';
import { AppConfig } from '../../platform/config/app-config';
import { QuotaCountRepository } from './quota-count.repository';

@Injectable()
export class DatagridQuota implements Quota {
  readonly kind = 'datagrids';
  readonly most: number | undefined;

  constructor(
    { quotaDatagrids }: AppConfig,
    private readonly counts: QuotaCountRepository,
  ) {
    this.most = quotaDatagrids;
  }

  async count(accountId: string): Promise<number> {
    return this.counts.countDatagrids(accountId);
  }
}
