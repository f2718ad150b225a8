import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
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
export class ImportSweepService extends BackgroundService {
  protected override readonly task: RepeatedTask;

  constructor(
    private readonly leftovers: ImportLeftoverRepository,
    private readonly logger: Logger,
  ) {
    super();
    this.task = new RepeatedTask(
      () => this.sweep(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'import maintenance failed');
      },
    );
  }

  /** @returns the number of imports that were running or had staged lines left. */
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
