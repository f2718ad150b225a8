import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { ColumnReads, type DatagridReads } from '../query/column-reads';
import {
  type AutomaticIndex,
  AutomaticIndexRepository,
  type WantedIndex,
} from './automatic-index.repository';

const PAUSE_MS = 5_000;

/**
 * Indexes columns that queries of large datagrids often read, and drops these indexes when they are no
 * longer worth their cost. It runs in the background of every instance: stores the reads that the
 * instance has counted, drops indexes, and starts at most one build for each account, which then runs
 * like that of any other index, in turns with other accounts.
 */
@Injectable()
export class AutomaticIndexService extends BackgroundService {
  constructor(
    private readonly config: AppConfig,
    private readonly reads: ColumnReads,
    private readonly repository: AutomaticIndexRepository,
    private readonly logger: Logger,
  ) {
    super({ name: 'automatic indexing', pauseMs: PAUSE_MS, logger });
  }

  /** @returns the number of indexes that were started or dropped. */
  protected override async run(): Promise<number> {
    for (const reads of this.reads.take()) {
      if (this.isStopping) return 0;
      await this.attempt(reads, () => this.store(reads));
    }
    const isOff = this.config.maxAutomaticIndexes === 0;
    let changed = 0;
    for (const index of await this.repository.listUnwanted(isOff)) {
      if (this.isStopping) return changed;
      if (await this.attempt(index, () => this.drop(index))) changed += 1;
    }
    const wanted = isOff ? [] : await this.repository.listWanted(this.config.automaticIndexMinRows);
    for (const index of wanted) {
      if (this.isStopping) return changed;
      if (await this.attempt(index, () => this.start(index))) changed += 1;
    }
    return changed;
  }

  /** Runs a step. An error is logged, and does not keep other datagrids from their steps. */
  private async attempt(
    { accountId, datagridId }: Pick<AutomaticIndex, 'accountId' | 'datagridId'>,
    step: () => Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await step();
    } catch (err) {
      this.logger.pino.warn({ err, accountId, datagridId }, 'automatic indexing failed');
      return false;
    }
  }

  private async store(reads: DatagridReads): Promise<boolean> {
    await this.repository.storeReads(reads, this.config.automaticIndexMinRows);
    return true;
  }

  private async start(index: WantedIndex): Promise<boolean> {
    const { maxAutomaticIndexes } = this.config;
    const room = await this.repository.getRoom(index, maxAutomaticIndexes);
    if (room === 'isBuilding') return false;
    if (room !== 'free') return this.makeRoom(index, room === 'datagridFull');
    if (!(await this.repository.isSelective(index))) {
      await this.repository.resetReads(index);
      return false;
    }
    const isStarted = (await this.repository.start(index, maxAutomaticIndexes)) === 'free';
    if (isStarted) this.log(index, 'automatic index started');
    return isStarted;
  }

  /** Drops an index that is not used, or lets other columns have the next turn. */
  private async makeRoom(index: WantedIndex, isOfDatagrid: boolean): Promise<boolean> {
    const { accountId, datagridId } = index;
    const unused = await this.repository.findLeastUsed(accountId, isOfDatagrid ? datagridId : null);
    if (unused) return this.drop(unused);
    await this.repository.resetReads(index);
    return false;
  }

  private async drop(index: AutomaticIndex): Promise<boolean> {
    const isDropped = (await this.repository.drop(index)) === 'dropped';
    if (isDropped) this.log(index, 'automatic index dropped');
    return isDropped;
  }

  private log({ accountId, datagridId, columnId }: AutomaticIndex, event: string): void {
    this.logger.pino.info({ accountId, datagridId, columnId }, event);
  }
}
