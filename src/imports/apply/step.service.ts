import { Injectable } from '@nestjs/common';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { isLockTimeout } from '../../platform/database/database-error';
import { CounterRepository } from '../../rows/write/counter.repository';
import type { RejectedLine } from '../job/import.entity';
import { ImportRepository, type LinesBehind, type StepOutcome } from '../job/import.repository';
import { columnsChanged, ImportEndedError, rejectedLines } from '../progress/import-progress';
import { ImportMetrics } from '../progress/import-metrics';
import type { RunningImport } from '../progress/running-import';
import type { StagedStep } from '../stage/line-stage.repository';
import { fitsStill, InsertStep } from './insert-step';
import { LinkedKeys } from './linked-keys';
import { StepRepository } from './step.repository';
import { UpsertStep } from './upsert-step';

/**
 * Number of times that a step waits for the datagrid's lock. Each wait has the lock timeout of any
 * other write.
 */
const MAX_WAITS = 12;

interface WrittenStep {
  readonly outcome: StepOutcome;
  readonly behind: LinesBehind;
}

/** Thrown to roll back a step because lines were rejected. */
class StepRejectedError extends Error {
  constructor(readonly outcome: StepOutcome) {
    super();
  }
}

/** Writes the lines of a step in one short transaction. */
@Injectable()
export class StepService {
  constructor(
    private readonly database: Database,
    private readonly schemas: DatagridSchemaService,
    private readonly counters: CounterRepository,
    private readonly imports: ImportRepository,
    private readonly steps: StepRepository,
    private readonly inserts: InsertStep,
    private readonly upserts: UpsertStep,
    private readonly linkedKeys: LinkedKeys,
    private readonly metrics: ImportMetrics,
    private readonly quota: RowQuota,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Writes a step.
   * @throws AppError if the writer has lost the permission to write, the datagrid was deleted, a
   *   used column has changed, a line is rejected and `onError` is `abort`, or the account would
   *   exceed its row quota.
   * @throws ImportEndedError if the import is not running.
   */
  async apply(running: RunningImport, step: StagedStep): Promise<void> {
    running.requireRunning();
    await running.access.requireStill();
    for (let waits = 1; ; waits += 1) {
      try {
        const { accountId } = running.writer;
        const write = (): Promise<WrittenStep | null> =>
          this.quota.run(accountId, () => this.write(running, step));
        const written = await this.gate.runWhenFree(accountId, () =>
          this.database.transaction(write),
        );
        if (written) {
          this.metrics.write(written.outcome);
          running.progress.noteStep(written.behind, written.outcome.rejected);
          running.matched?.add(written.outcome.rowIds);
          return;
        }
        await this.renewSchema(running);
      } catch (error) {
        if (error instanceof StepRejectedError) throw note(running, error.outcome);
        // Another write holds the lock for a long time. Nothing is lost, so the step waits again.
        if (waits >= MAX_WAITS || !isLockTimeout(error)) throw error;
      }
      running.requireRunning();
    }
  }

  /**
   * Writes a step in the current transaction.
   * @returns `null` if the columns have changed since the import read them.
   */
  private async write(running: RunningImport, step: StagedStep): Promise<WrittenStep | null> {
    const { importRef, schema, options, writer, matched, linkKeys } = running;
    await running.access.requireInStep();
    const counter = await this.counters.lock(schema);
    if (!counter) return null;
    const { accountId } = writer;
    const own = linkKeys.filter(({ isOwn }) => isOwn);
    const others = linkKeys.filter(({ isOwn }) => !isOwn);
    const unknown = await this.linkedKeys.replace(accountId, others, importRef, step);
    const left = { ...step, rows: step.rows - unknown.length };
    const written =
      options.mode === 'insert' && own.length === 0
        ? await this.inserts.apply(schema, importRef, left, writer)
        : await this.upserts.apply(schema, importRef, left, {
            matchOn: options.matchOn,
            author: writer,
            linkKeys: own,
            matched,
          });
    const outcome = withRejected(written, unknown);
    if (options.onError === 'abort' && outcome.rejected.length > 0) {
      throw new StepRejectedError(outcome);
    }
    await this.steps.remove(importRef, step);
    const behind = running.progress.upTo(step, outcome.rejected);
    const isRunning = await this.imports.advance(importRef, outcome, behind, counter.revision);
    if (!isRunning) throw new ImportEndedError();
    return { outcome, behind };
  }

  private async renewSchema(running: RunningImport): Promise<void> {
    const { importRef, writer, options, schema } = running;
    const now: DatagridSchema = await this.schemas.get(writer.accountId, importRef.datagridId);
    if (!fitsStill(running.usedColumns(), options.matchOn, schema, now)) throw columnsChanged();
    running.schema = now;
  }
}

/** Returns an outcome with more rejected lines, in order. */
function withRejected(outcome: StepOutcome, others: readonly RejectedLine[]): StepOutcome {
  if (others.length === 0) return outcome;
  const rejected = [...outcome.rejected, ...others].sort((a, b) => a.line - b.line);
  return { ...outcome, rejected };
}

/**
 * Adds the rejected lines of a step to the report.
 * @returns the error that the import fails with.
 */
function note({ progress }: RunningImport, { rejected }: StepOutcome): Error {
  progress.rejectWritten(rejected);
  return rejectedLines(rejected, rejected.length);
}
