import { Injectable } from '@nestjs/common';
import { AppError, unavailable } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { isUnavailable } from '../../platform/database/database-error';
import { StreamPace } from '../../platform/fairness/stream-pace';
import type { StreamedBody } from '../../platform/http/streamed-body';
import { Logger } from '../../platform/logging/logger';
import { StepService } from '../apply/step.service';
import { type CheckedRows, RowRules } from '../check/row-rules';
import type { ImportFailure } from '../job/import.entity';
import { ImportLeftoverRepository, ImportRepository } from '../job/import.repository';
import { checkedStart } from '../read/file-start';
import { CsvSource, NdjsonSource } from '../source/row-source';
import { HeaderColumnService } from '../source/header-column.service';
import type { RowSource } from '../source/header';
import { ResultRows } from '../source/result-rows';
import type { LineStage, StagedStep } from '../stage/line-stage.repository';
import { DATABASE_AWAY, failureOf, ImportEndedError } from '../progress/import-progress';
import { ImportMetrics } from '../progress/import-metrics';
import { ImportReceipt, type RunningImport, StepQueue } from '../progress/running-import';

/**
 * Maximum number of staged steps that wait to be written. If there are more, reading the body
 * pauses.
 */
const MAX_WAITING_STEPS = 20;
const BEAT_MS = 1_000;
/**
 * Maximum number of cells of a line for each column that a datagrid can have. Spreadsheets write
 * blank cells next to their columns.
 */
const CELLS_PER_COLUMN = 4;

/** What an import reads: the body of a request, or the rows of a query in another database. */
export type ImportInput = StreamedBody | ResultRows;

/** Runs imports that have been started, until they end. */
@Injectable()
export class ImportRunService {
  /** Time between two reports of the progress of an import. Tests lower it. */
  readonly beats = { everyMs: BEAT_MS };

  constructor(
    private readonly config: AppConfig,
    private readonly imports: ImportRepository,
    private readonly leftovers: ImportLeftoverRepository,
    private readonly steps: StepService,
    private readonly headers: HeaderColumnService,
    private readonly metrics: ImportMetrics,
    private readonly logger: Logger,
  ) {}

  /**
   * Reads the rows of the input and writes them. Never throws: the report shows the result.
   * @param onReceived Called when the input has been read completely.
   */
  async run(
    running: RunningImport,
    input: ImportInput,
    stage: LineStage,
    onReceived: () => void,
  ): Promise<void> {
    const timer = setInterval(() => void this.beat(running), this.beats.everyMs);
    const stopWatch = running.access.watch((reason) => {
      running.stop(reason);
    });
    try {
      await this.carryOut(running, input, stage, onReceived);
      await this.reportProgress(running);
      running.report = await this.imports.complete(running.importRef);
      this.metrics.end('completed');
    } catch (error) {
      this.metrics.end(error instanceof ImportEndedError ? 'cancelled' : 'failed');
      await this.fail(running, error);
    } finally {
      clearInterval(timer);
      stopWatch();
      input.leave();
      await this.clear(running, stage);
    }
  }

  private async carryOut(
    running: RunningImport,
    input: ImportInput,
    stage: LineStage,
    onReceived: () => void,
  ): Promise<void> {
    const queue = new StepQueue<StagedStep>(
      (step) => this.steps.apply(running, step),
      MAX_WAITING_STEPS,
    );
    try {
      const receipt = new ImportReceipt(running, stage, queue, this.config.importBatchRows);
      await receipt.run(this.rows(running, input), () => {
        running.progress.readBytes = input.readBytes;
      });
      onReceived();
    } catch (error) {
      running.stop(error as Error);
      // The step that is being written finishes. Steps in the queue are not started.
      await queue.end().catch(() => undefined);
      throw error;
    }
    await queue.end();
  }

  private rows(running: RunningImport, input: ImportInput): AsyncIterable<CheckedRows> {
    const pace = new StreamPace(this.config);
    const { mode, matchOn, format, startLine, ignoreReadOnly } = running.options;
    const { maxColumns, maxRowBytes } = this.config;
    const rules = new RowRules({
      matchOn: mode === 'upsert' ? matchOn : null,
      maxRowBytes,
      linkKeys: running.linkKeys,
      ignoresReadOnly: ignoreReadOnly,
    });
    // Escapes and quotes can make a line longer than its values.
    const lineLimitBytes = 2 * maxRowBytes + 64 * 1024;
    const limits = { maxLength: lineLimitBytes, maxCells: CELLS_PER_COLUMN * maxColumns };
    if (input instanceof ResultRows) return input.rows(running, rules, pace);
    const source: RowSource =
      format === 'ndjson'
        ? new NdjsonSource(running, rules, limits, startLine)
        : new CsvSource(
            this.headers.of(running),
            rules,
            { limits, startLine },
            running.format,
            (found) => {
              running.format = found;
            },
          );
    return source.rows(checkedStart(input.chunks(running.signal, pace), running.options));
  }

  /** Stores the progress, and stops the import if it has been ended otherwise. */
  private async beat(running: RunningImport): Promise<void> {
    // If the database is slow or unavailable, beats must not use up all of its connections.
    if (running.isBeating) return;
    running.isBeating = true;
    try {
      if (!(await this.reportProgress(running))) running.stop(new ImportEndedError());
    } catch (err) {
      this.logger.pino.warn({ err, ...running.importRef }, 'import progress write failed');
    } finally {
      running.isBeating = false;
    }
  }

  /** Stores the progress. @returns whether the import is still running. */
  private async reportProgress({ importRef, progress, format }: RunningImport): Promise<boolean> {
    const beat = progress.beat();
    const isRunning = await this.imports.beat(importRef, beat, format);
    progress.noteBeat(beat);
    return isRunning;
  }

  private async fail(running: RunningImport, error: unknown): Promise<void> {
    if (error instanceof ImportEndedError) return;
    try {
      await this.reportProgress(running);
      const failure = this.failure(running, error);
      running.report = await this.imports.fail(running.importRef, failure);
    } catch (err) {
      // A sweep soon ends the import, because no session holds its lock any more.
      running.isOutcomeUnknown = true;
      this.logger.pino.warn({ err, ...running.importRef }, 'import result write failed');
    }
  }

  private failure(running: RunningImport, error: unknown): ImportFailure {
    if (error instanceof AppError) return failureOf(error);
    running.cause = error;
    if (running.hasResponse) {
      this.logger.pino.error({ err: error, ...running.importRef }, 'import failed');
    }
    return failureOf(
      isUnavailable(error)
        ? unavailable(DATABASE_AWAY)
        : new AppError('internal', 'Internal server error.'),
    );
  }

  /** Deletes staged lines that were not written. */
  private async clear(
    { importRef, isOutcomeUnknown }: RunningImport,
    stage: LineStage,
  ): Promise<void> {
    stage.close();
    if (isOutcomeUnknown) return;
    try {
      while (await this.leftovers.clear(importRef));
    } catch (err) {
      this.logger.pino.warn({ err, ...importRef }, 'staged lines cleanup failed');
    }
  }
}
