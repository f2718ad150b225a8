import { Injectable } from '@nestjs/common';
import { AppError, unavailable } from '../../../common/error/app-error';
import { AppConfig } from '../../../platform/config/app-config';
import { isUnavailable } from '../../../platform/database/database-error';
import { StreamPace } from '../../../platform/fairness/stream-pace';
import type { StreamedBody } from '../../../platform/http/streamed-body';
import { Logger } from '../../../platform/logging/logger';
import { StepService } from '../apply/step.service';
import { RowRules } from '../check/row-rules';
import type { ImportFailure } from '../job/import-report';
import { ImportLeftoverRepository } from '../job/import-leftover.repository';
import { ImportRepository } from '../job/import.repository';
import { CsvSource } from '../source/csv-source';
import { HeaderColumnService } from '../source/header-column.service';
import { NdjsonSource } from '../source/ndjson-source';
import type { RowSource } from '../source/row-source';
import type { LineStage, StagedStep } from '../stage/line-stage';
import { StreamWatch } from '../../stream/stream-watch';
import { DATABASE_AWAY, failureOf, ImportEndedError } from './import-failures';
import { ImportMetrics } from './import-metrics';
import { ImportReceipt } from './import-receipt';
import type { RunningImport } from './running-import';
import { StepQueue } from './step-queue';

/** Steps that are staged and wait to be written; beyond it the sender waits. */
const MAX_WAITING_STEPS = 20;
const BEAT_MS = 1_000;
/** Spreadsheets write blank cells beside their columns. A line may have so many cells for each column that there may be. */
const CELLS_PER_COLUMN = 4;

/** Carries out imports that have been started, to whatever end. */
@Injectable()
export class ImportRunService {
  constructor(
    private readonly config: AppConfig,
    private readonly imports: ImportRepository,
    private readonly leftovers: ImportLeftoverRepository,
    private readonly steps: StepService,
    private readonly headers: HeaderColumnService,
    private readonly metrics: ImportMetrics,
    private readonly watch: StreamWatch,
    private readonly logger: Logger,
  ) {}

  /**
   * Takes the body's rows and writes them. Never throws: how it has ended stands in the report.
   * @param onReceived Called once the body has been read to its end.
   */
  async run(
    running: RunningImport,
    body: StreamedBody,
    stage: LineStage,
    onReceived: () => void,
  ): Promise<void> {
    const timer = setInterval(() => void this.beat(running), BEAT_MS);
    const { caller, place } = running;
    const stopWatch = this.watch.start(
      { caller, permission: 'rows:write', datagridId: place.datagridId },
      (reason) => {
        running.stop(reason);
      },
    );
    try {
      await this.carryOut(running, body, stage, onReceived);
      await this.tell(running);
      running.report = await this.imports.complete(running.place);
      this.metrics.end('completed');
    } catch (error) {
      this.metrics.end(error instanceof ImportEndedError ? 'cancelled' : 'failed');
      await this.fail(running, error);
    } finally {
      clearInterval(timer);
      stopWatch();
      body.leave();
      await this.clear(running, stage);
    }
  }

  private async carryOut(
    running: RunningImport,
    body: StreamedBody,
    stage: LineStage,
    onReceived: () => void,
  ): Promise<void> {
    const queue = new StepQueue<StagedStep>(
      (step) => this.steps.apply(running, step),
      MAX_WAITING_STEPS,
    );
    try {
      const pace = new StreamPace(this.config);
      const receipt = new ImportReceipt(running, stage, queue, this.config.importBatchRows);
      await receipt.run(this.source(running), body.chunks(running.signal, pace), () => {
        running.progress.readBytes = body.readBytes;
      });
      onReceived();
    } catch (error) {
      running.stop(error as Error);
      // The step that is being written comes to its end; those that wait are not begun.
      await queue.end().catch(() => undefined);
      throw error;
    }
    await queue.end();
  }

  private source(running: RunningImport): RowSource {
    const { mode, matchOn, format } = running.options;
    const { maxColumns, maxRowBytes } = this.config;
    const rules = new RowRules({ matchOn: mode === 'upsert' ? matchOn : null, maxRowBytes });
    // What is written with escapes or quotes may be longer than what it says.
    const lineLimitBytes = 2 * maxRowBytes + 64 * 1024;
    const limits = { maxLength: lineLimitBytes, maxCells: CELLS_PER_COLUMN * maxColumns };
    if (format === 'ndjson') return new NdjsonSource(running, rules, limits);
    return new CsvSource(this.headers.of(running), rules, limits, running.format, (found) => {
      running.format = found;
    });
  }

  /** Writes down how far it is, and stops where somebody has ended it. */
  private async beat(running: RunningImport): Promise<void> {
    // Where the database is slow, or away, they must not take all of its connections.
    if (running.isBeating) return;
    running.isBeating = true;
    try {
      if (!(await this.tell(running))) running.stop(new ImportEndedError());
    } catch (err) {
      this.logger.pino.warn({ err, ...running.place }, 'import progress write failed');
    } finally {
      running.isBeating = false;
    }
  }

  /** @returns whether the import is running still. */
  private async tell({ place, progress, format }: RunningImport): Promise<boolean> {
    const beat = progress.beat();
    const isRunning = await this.imports.beat(place, beat, format);
    progress.noteBeat(beat);
    return isRunning;
  }

  private async fail(running: RunningImport, error: unknown): Promise<void> {
    if (error instanceof ImportEndedError) return;
    try {
      await this.tell(running);
      const failure = this.failure(running, error);
      running.report = await this.imports.fail(running.place, failure);
    } catch (err) {
      // It is taken for dead soon, since nobody holds it any more.
      running.isOutcomeUnknown = true;
      this.logger.pino.warn({ err, ...running.place }, 'import result write failed');
    }
  }

  private failure(running: RunningImport, error: unknown): ImportFailure {
    if (error instanceof AppError) return failureOf(error);
    running.cause = error;
    if (running.isAnswered) {
      this.logger.pino.error({ err: error, ...running.place }, 'import failed');
    }
    return failureOf(
      isUnavailable(error)
        ? unavailable(DATABASE_AWAY)
        : new AppError('internal', 'Internal server error.'),
    );
  }

  /** Lines that were not written are not wanted any more. */
  private async clear({ place, isOutcomeUnknown }: RunningImport, stage: LineStage): Promise<void> {
    stage.close();
    if (isOutcomeUnknown) return;
    try {
      while (await this.leftovers.clear(place));
    } catch (err) {
      this.logger.pino.warn({ err, ...place }, 'staged lines cleanup failed');
    }
  }
}
