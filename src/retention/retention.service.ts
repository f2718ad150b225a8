import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../common/text/id';
import { BackgroundService } from '../platform/background/background-service';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import {
  EXPIRY_POLICIES,
  ORPHAN_POLICIES,
  SURPLUS_POLICIES,
  type SurplusPolicy,
} from './retention-policy-sql';
import { type DeletedBatch, RetentionRepository } from './retention.repository';

const PAUSE_MS = 10 * 60_000;

/**
 * Deletes records after their retention period, those of purged datagrids, and the oldest of accounts and
 * webhooks with too many, in the background of every instance.
 */
@Injectable()
export class RetentionService extends BackgroundService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: RetentionRepository,
    logger: Logger,
  ) {
    super({ name: 'cleanup of old records', pauseMs: PAUSE_MS, logger });
  }

  /** @returns the number of deleted records. */
  protected run(): Promise<number> {
    const { repository, config } = this;
    const expired = EXPIRY_POLICIES.map((policy) => () => {
      return this.deleteAll(() => repository.deleteExpired(policy, policy.retentionDays?.(config)));
    });
    const orphans = ORPHAN_POLICIES.map((policy) => () => {
      return this.deleteAll(() => repository.deleteOrphans(policy));
    });
    // Last, because it looks at each account and each webhook.
    const surplus = SURPLUS_POLICIES.map((policy) => () => this.deleteSurplus(policy));
    return sumOf([...expired, ...orphans, ...surplus]);
  }

  private async deleteSurplus(policy: SurplusPolicy): Promise<number> {
    const { repository } = this;
    const maxRecords = policy.maxRecords(this.config);
    let deleted = 0;
    let groupId = await repository.findNextGroup(policy, NIL_ID);
    while (groupId !== null && !this.isStopping) {
      const id = groupId;
      const lastId = await repository.findNewestSurplus(policy, id, maxRecords);
      if (lastId !== null)
        deleted += await this.deleteAll(() => repository.deleteUpTo(policy, id, lastId));
      groupId = await repository.findNextGroup(policy, id);
    }
    return deleted;
  }

  /** Deletes batches until there are no more. @returns the number of deleted records. */
  private async deleteAll(deleteBatch: () => Promise<DeletedBatch>): Promise<number> {
    let deleted = 0;
    while (!this.isStopping) {
      const { count, hasMore } = await deleteBatch();
      deleted += count;
      if (!hasMore) break;
    }
    return deleted;
  }
}

/**
 * Runs all of the works, also if one fails.
 * @returns the sum of their results.
 * @throws the first error.
 */
async function sumOf(works: readonly (() => Promise<number>)[]): Promise<number> {
  let sum = 0;
  const errors: unknown[] = [];
  for (const work of works) {
    try {
      sum += await work();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return sum;
}
