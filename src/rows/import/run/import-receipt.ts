import { Slices } from '../../../platform/fairness/event-loop-turns';
import type { CheckedRow } from '../check/checked-row';
import type { RowSource } from '../source/row-source';
import type { LineStage, StagedStep } from '../stage/line-stage';
import { refusedLines } from './import-failures';
import { MAX_REPORTED } from './import-progress';
import type { RunningImport } from './running-import';
import type { StepQueue } from './step-queue';

/** A step is no longer than this, in UTF-16 units of its rows. */
const MAX_STEP_LENGTH = 16 * 1024 * 1024;

/**
 * Takes a body's rows, stages those that are good, and hands them on in steps. A step is handed
 * on when a row follows that has no room in it: what fits in one step is so written at its end
 * only, and all or nothing.
 */
export class ImportReceipt {
  constructor(
    private readonly running: RunningImport,
    private readonly stage: LineStage,
    private readonly queue: StepQueue<StagedStep>,
    private readonly stepRows: number,
  ) {}

  /**
   * @param onChunk Called after each part of the body.
   * @throws AppError where the body is not what it must be, or a line is refused and may not be.
   */
  async run(source: RowSource, chunks: AsyncIterable<Buffer>, onChunk: () => void): Promise<void> {
    const { progress, caller } = this.running;
    const slices = new Slices(caller.accountId);
    for await (const rows of source.rows(chunks)) {
      this.running.requireRunning();
      for (const row of rows) {
        if (slices.isDue()) await slices.next();
        if (this.accepts(row)) {
          // The row itself belongs to the step after it.
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
   * Counts a row. @returns whether it is to be staged.
   *
   * Once a line is refused that may not be, nothing more is: as long as nothing was written, the
   * lines after it are only looked at, so that as many as can be are reported at once.
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
