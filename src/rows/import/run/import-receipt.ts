import { Slices } from '../../../platform/fairness/event-loop-turns';
import type { CheckedRow } from '../check/checked-row';
import type { RowSource } from '../source/row-source';
import type { LineStage, StagedStep } from '../stage/line-stage';
import { refusedLines } from './import-failures';
import { MAX_REPORTED } from './import-progress';
import type { RunningImport } from './running-import';
import type { StepQueue } from './step-queue';

/** Maximum length of a step, in UTF-16 code units of its rows. */
const MAX_STEP_LENGTH = 16 * 1024 * 1024;

/**
 * Receives the rows of a body, stages valid rows, and queues them in steps. A step is queued when a
 * row follows that does not fit into it. So a file that fits into one step is written only after it
 * has been read completely, and either as a whole or not at all.
 */
export class ImportReceipt {
  constructor(
    private readonly running: RunningImport,
    private readonly stage: LineStage,
    private readonly queue: StepQueue<StagedStep>,
    private readonly stepRows: number,
  ) {}

  /**
   * Receives the body.
   * @param onChunk Called after each part of the body.
   * @throws AppError if the body is invalid, or if a line is rejected and `onError` is `abort`.
   */
  async run(source: RowSource, chunks: AsyncIterable<Buffer>, onChunk: () => void): Promise<void> {
    const { progress, caller } = this.running;
    const slices = new Slices(caller.accountId);
    for await (const rows of source.rows(chunks)) {
      this.running.requireRunning();
      for (const row of rows) {
        if (slices.isDue()) await slices.next();
        if (this.accepts(row)) {
          // The current row belongs to the next step.
          if (this.isStepFull()) await this.handOn(progress.rowsRead - 1);
          if (this.stage.add(row)) await this.stage.flush();
        }
        progress.nextLine = row.nextLine;
      }
      onChunk();
    }
    if (this.mayAbort && progress.refused > 0) throw this.abort();
    await this.handOn(progress.rowsRead);
  }

  private get mayAbort(): boolean {
    return this.running.options.onError === 'abort';
  }

  private isStepFull(): boolean {
    return this.stage.rows >= this.stepRows || this.stage.length >= MAX_STEP_LENGTH;
  }

  /**
   * Counts a row. If `onError` is `abort`, nothing is staged after the first rejected line. As long
   * as nothing has been written, the following lines are only checked, in order to report as many
   * errors as possible at once.
   * @returns whether to stage the row.
   */
  private accepts({ line, problems }: CheckedRow): boolean {
    const { progress } = this.running;
    progress.rowsRead += 1;
    if (problems.length > 0) progress.refuse(line, problems);
    if (!this.mayAbort || progress.refused === 0) return problems.length === 0;
    const isEnough = progress.rowsRead >= this.stepRows || progress.refused >= MAX_REPORTED;
    if (this.queue.hasBegun || isEnough) throw this.abort();
    return false;
  }

  private async handOn(rowsRead: number): Promise<void> {
    const { nextLine, refusedRead: refused } = this.running.progress;
    const step = await this.stage.endStep({ nextLine, rowsRead, refused });
    if (step) await this.queue.put(step);
  }

  private abort(): Error {
    const { errors, refused } = this.running.progress;
    return refusedLines(errors, refused);
  }
}
