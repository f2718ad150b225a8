import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { Logger } from '../../platform/logging/logger';
import { ImportLeftoverRepository } from '../job/import.repository';
import { PROCESS_ENDED } from './import-progress';

const PAUSE_MS = 5_000;

/**
 * Ends imports whose process has died, deletes their staged lines, and deletes old reports. Runs at
 * startup and then after every pause of PAUSE_MS, on every instance.
 */
@Injectable()
export class ImportSweepService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly leftovers: ImportLeftoverRepository,
    private readonly logger: Logger,
  ) {
    this.task = new RepeatedTask(
      () => this.sweep(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'import maintenance failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Runs one sweep. @returns the number of imports that were running or had staged lines left. */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private async sweep(): Promise<number> {
    const importRefs = await this.leftovers.list();
    for (const importRef of importRefs) {
      try {
        while (!this.task.isStopping && (await this.leftovers.clearDead(importRef, PROCESS_ENDED)));
      } catch (err) {
        this.logger.pino.warn({ err, ...importRef }, 'import leftovers cleanup failed');
      }
    }
    await this.leftovers.forget();
    return importRefs.length;
  }
}
