import { Injectable } from '@nestjs/common';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { BackgroundService } from '../platform/background/background-service';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { ColumnarCopies } from './columnar-copies';
import { ColumnarDatabase } from './columnar-database';
import { ColumnarMetrics } from './columnar-metrics';
import { CopyDemand, type WantedCopy } from './copy-demand';
import { CopyLoader } from './copy-loader';
import { CopyRoom } from './copy-room';
import { copyColumnOf } from './copy-table';

/** Time for which a datagrid is not loaded again. */
const RETRY_MS = 60_000;
/** The same if it does not fit. */
const TOO_LARGE_MS = 60 * 60 * 1_000;

/** Loads copies of the datagrids that are to have one, one after another. */
@Injectable()
export class CopyLoadingService extends BackgroundService {
  private readonly minRows: number;

  constructor(
    config: AppConfig,
    private readonly demand: CopyDemand,
    private readonly database: ColumnarDatabase,
    private readonly copies: ColumnarCopies,
    private readonly room: CopyRoom,
    private readonly loader: CopyLoader,
    private readonly schemas: DatagridSchemaService,
    private readonly metrics: ColumnarMetrics,
    private readonly logger: Logger,
  ) {
    super({ name: 'loading of columnar copies', pauseMs: config.columnarPauseMs, logger });
    this.minRows = config.columnarMinRows;
  }

  /** @returns the number of copies that were loaded. */
  protected override async run(): Promise<number> {
    let loaded = 0;
    for (let next = this.demand.take(); next && !this.isStopping; next = this.demand.take()) {
      if (await this.attempt(next)) loaded += 1;
    }
    return loaded;
  }

  /** An error is logged, and does not keep other datagrids from their copies. */
  private async attempt(wanted: WantedCopy): Promise<boolean> {
    try {
      const isLoaded = await this.load(wanted);
      this.metrics.noteLoad(isLoaded ? 'loaded' : 'unneeded');
      return isLoaded;
    } catch (err) {
      this.demand.postpone(wanted, RETRY_MS);
      if (this.isStopping) return false;
      this.metrics.noteLoad('failed');
      const { accountId, datagridId } = wanted;
      this.logger.pino.warn({ err, accountId, datagridId }, 'columnar copy failed');
      return false;
    }
  }

  private async load(wanted: WantedCopy): Promise<boolean> {
    const { accountId, datagridId } = wanted;
    const schema = await this.schemas.get(accountId, datagridId);
    const former = this.copies.of(datagridId);
    if (former) {
      const isSame = former.schemaVersion === schema.version && former.accountId === accountId;
      if (isSame && (await this.loader.catchUp(former)) === 'current') return false;
      await this.copies.drop(former);
    }
    this.demand.postpone(wanted, RETRY_MS);
    const startedAtMs = performance.now();
    const kept = {
      columns: [...schema.columns.values()].map(copyColumnOf),
      minRows: this.minRows,
      open: () => this.database.open(),
    };
    const loaded = await this.loader.load(accountId, schema, kept, async (bytes) => {
      if (this.isStopping) return false;
      if (await this.room.makeFor({ accountId, bytes })) return true;
      this.demand.postpone(wanted, TOO_LARGE_MS);
      return false;
    });
    if (!loaded) return false;
    this.copies.add(loaded);
    await this.loader.catchUp(loaded);
    const ms = Math.round(performance.now() - startedAtMs);
    const { bytes } = loaded;
    this.logger.pino.info({ accountId, datagridId, bytes, ms }, 'columnar copy loaded');
    return true;
  }
}
