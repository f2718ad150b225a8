import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../platform/background/background-service';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { RowVersionRepository } from '../rows/storage/row-version.repository';
import { ColumnarCopies } from './columnar-copies';
import type { ColumnarCopy } from './columnar-copy';
import { CopyDemand } from './copy-demand';
import { CopyFailedError } from './copy-failed';
import { CopyLoader } from './copy-loader';

/** A copy that was not used for this time is not kept up to date. */
const FOLLOWED_MS = 10 * 60 * 1_000;
/** A copy that was not used for this time goes. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
/** Number of runs after which copies that are not used are looked at, too. */
const RUNS_BETWEEN_CHECKS = 60;

/**
 * Writes changes to the copies that are used, so that a request finds few, and drops those that are of no
 * use. It decides nothing about correctness: each request writes what a copy lacks.
 */
@Injectable()
export class CopyFollowingService extends BackgroundService {
  private runs = 0;

  constructor(
    config: AppConfig,
    private readonly copies: ColumnarCopies,
    private readonly loader: CopyLoader,
    private readonly demand: CopyDemand,
    private readonly versions: RowVersionRepository,
    logger: Logger,
  ) {
    super({ name: 'update of columnar copies', pauseMs: config.columnarPauseMs, logger });
  }

  /** @returns the number of copies that were looked at. */
  protected override async run(): Promise<number> {
    this.runs += 1;
    const isCheck = this.runs % RUNS_BETWEEN_CHECKS === 0;
    const now = performance.now();
    const copies = this.copies
      .list()
      .filter(({ usedAtMs }) => isCheck || now - usedAtMs < FOLLOWED_MS);
    for (const copy of copies) {
      if (this.isStopping) break;
      const version = await this.versions.find(copy.accountId, copy.datagridId);
      const isCurrent = version?.revision === copy.state.revision;
      if (isCheck || !isCurrent) await this.follow(copy, now - copy.usedAtMs);
    }
    const [copy] = this.copies.list();
    if (isCheck && copy) await this.loader.storeChanges(copy.process);
    return copies.length;
  }

  private async follow(copy: ColumnarCopy, idleMs: number): Promise<void> {
    if (idleMs >= KEPT_MS) return this.copies.drop(copy);
    try {
      const end = await this.loader.catchUp(copy);
      if (end === 'current') return;
      await this.copies.drop(copy);
      if (end !== 'gone' && idleMs < FOLLOWED_MS) this.demand.noteBehind(copy);
    } catch (error) {
      // Without PostgreSQL, the copy stays as it is.
      if (error instanceof CopyFailedError) await this.copies.drop(copy);
      else this.reportFailure(error);
    }
  }
}
