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
/** Longer, because it looks at each account and each webhook. */
const SURPLUS_PAUSE_MS = 60 * 60_000;

/** Deletes batches until there are no more. @returns the number of deleted records. */
async function deleteAll(
  isStopping: () => boolean,
  deleteBatch: () => Promise<DeletedBatch>,
): Promise<number> {
  let deleted = 0;
  while (!isStopping()) {
    const { count, hasMore } = await deleteBatch();
    deleted += count;
    if (!hasMore) break;
  }
  return deleted;
}

/**
 * Works on all policies. If one fails, works on the others.
 * @returns the sum of the results.
 * @throws the first error.
 */
async function sumOf<Policy>(
  policies: readonly Policy[],
  work: (policy: Policy) => Promise<number>,
): Promise<number> {
  let sum = 0;
  const errors: unknown[] = [];
  for (const policy of policies) {
    try {
      sum += await work(policy);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return sum;
}

/**
 * Deletes records after their retention period, and those of purged datagrids, in the background of every
 * instance.
 */
@Injectable()
export class RetentionService extends BackgroundService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: RetentionRepository,
    logger: Logger,
  ) {
    super({ name: 'cleanup of expired records', pauseMs: PAUSE_MS, logger });
  }

  /** @returns the number of deleted records. */
  protected run(): Promise<number> {
    const { repository, config } = this;
    const expired = EXPIRY_POLICIES.map((policy) => () => {
      return repository.deleteExpired(policy, policy.retentionDays?.(config));
    });
    const orphans = ORPHAN_POLICIES.map((policy) => () => repository.deleteOrphans(policy));
    return sumOf([...expired, ...orphans], (deleteBatch) =>
      deleteAll(() => this.isStopping, deleteBatch),
    );
  }
}

/** Deletes the oldest records of accounts and webhooks with too many, in the background of every instance. */
@Injectable()
export class SurplusService extends BackgroundService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: RetentionRepository,
    logger: Logger,
  ) {
    super({ name: 'cleanup of surplus records', pauseMs: SURPLUS_PAUSE_MS, logger });
  }

  /** @returns the number of deleted records. */
  protected run(): Promise<number> {
    return sumOf(SURPLUS_POLICIES, (policy) => this.deleteSurplus(policy));
  }

  private async deleteSurplus(policy: SurplusPolicy): Promise<number> {
    const maxRecords = policy.maxRecords(this.config);
    let deleted = 0;
    let groupId = await this.repository.findNextGroup(policy, NIL_ID);
    while (groupId !== null && !this.isStopping) {
      deleted += await this.deleteSurplusOf(policy, groupId, maxRecords);
      groupId = await this.repository.findNextGroup(policy, groupId);
    }
    return deleted;
  }

  private async deleteSurplusOf(
    policy: SurplusPolicy,
    groupId: string,
    maxRecords: number,
  ): Promise<number> {
    const lastId = await this.repository.findNewestSurplus(policy, groupId, maxRecords);
    if (lastId === null) return 0;
    const deleteBatch = (): Promise<DeletedBatch> =>
      this.repository.deleteUpTo(policy, groupId, lastId);
    return deleteAll(() => this.isStopping, deleteBatch);
  }
}
