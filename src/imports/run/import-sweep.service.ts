import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
import { Logger } from '../../platform/logging/logger';
import { ImportLeftoverRepository } from '../job/import.repository';
import { PROCESS_ENDED } from '../progress/import-progress';

const PAUSE_MS = 5_000;

/**
 * Ends imports whose process has died, and deletes their staged lines. Runs at startup and then after every
 * pause of PAUSE_MS, on every instance.
 */
@Injectable()
export class ImportSweepService extends BackgroundService {
  constructor(
    private readonly leftovers: ImportLeftoverRepository,
    private readonly logger: Logger,
  ) {
    super({ name: 'import maintenance', pauseMs: PAUSE_MS, logger });
  }

  /** @returns the number of imports that were running or had staged lines left. */
  protected override async run(): Promise<number> {
    const importRefs = await this.leftovers.list();
    for (const importRef of importRefs) {
      try {
        while (!this.isStopping && (await this.leftovers.clearDead(importRef, PROCESS_ENDED)));
      } catch (err) {
        this.logger.pino.warn({ err, ...importRef }, 'import leftovers cleanup failed');
      }
    }
    return importRefs.length;
  }
}
