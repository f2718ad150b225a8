import { Injectable } from '@nestjs/common';
import { AuditService } from '../../auth/audit/audit.service';
import { auditTarget } from '../../auth/audit/audit-action';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import type { WriteResponse } from '../../common/envelope/write-response';
import { AppError } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { RowSetWrites } from '../write/row-set-write';
import { SchemaBoundWrite } from '../write/schema-bound-write';
import { CreateRun, OperationRun, resultOf } from './operation-run';
import { readBatchBody, readUpsertBody } from './batch-body';
import { BatchStateService, type OpenedBatchState } from './batch-state.service';
import { type Batch, type BatchOutcome, type OperationResult, ResultPrinter } from './operation';
import { type Preparation, prepareBatch, rejectRepeats } from './prepared-operation';

/** Changes many rows of a datagrid in one request. */
@Injectable()
export class BatchService {
  constructor(
    private readonly config: AppConfig,
    private readonly writes: SchemaBoundWrite,
    private readonly states: BatchStateService,
    private readonly creates: CreateRun,
    private readonly audit: AuditService,
    private readonly sets: RowSetWrites,
  ) {}

  /**
   * Applies the operations of `{ mode, dryRun?, operations }` in order.
   * @throws AppError `not_found`, `invalid_request`; `payload_too_large` if the results exceed
   *   MAX_BATCH_BYTES; and, if `mode` is `atomic`, the error of the first operation that fails.
   */
  async batch(
    caller: Caller,
    datagridId: string,
    body: unknown,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const outcome = await this.run(caller, datagridId, readBatchBody(body), response);
    return JsonResponse.printed(
      `{"results":${outcome.results},"revision":${String(outcome.revision)}}`,
    );
  }

  /**
   * Changes the rows that `{ matchOn, rows }` matches and creates the others. If one row fails,
   * nothing is changed.
   * @throws AppError `not_found`, `invalid_request`, `payload_too_large`, `conflict` or
   *   `quota_exceeded`.
   */
  async upsert(
    caller: Caller,
    datagridId: string,
    body: unknown,
    response: WriteResponse,
  ): Promise<JsonResponse> {
    const outcome = await this.run(caller, datagridId, readUpsertBody(body), response);
    return JsonResponse.printed(`{"results":${outcome.results}}`);
  }

  private async run(
    caller: Caller,
    datagridId: string,
    batch: Batch,
    response: WriteResponse,
  ): Promise<BatchOutcome> {
    const { accountId } = caller;
    const deletes = batch.operations.some(({ op }) => op === 'delete');
    const write = async (schema: DatagridSchema): Promise<BatchOutcome | null> => {
      const maxBytes = this.config.maxRowBytes - (schema.readOnly?.maxBytes ?? 0);
      const prepared = await prepareBatch(accountId, schema, batch, maxBytes);
      const creates = this.creates.creatable(schema, batch, prepared);
      if (creates) return this.creates.run(caller, schema, creates, response);
      return this.sets.run({ author: caller, schema, deletes, adds: true }, async (write) => {
        const limits = { author: caller, room: write.room };
        const opened = await this.states.open(schema, write.counter, prepared, batch.list, limits);
        if (batch.rejectsRepeats) rejectRepeats(prepared, opened.hashes);
        const applied = await this.apply(accountId, schema, batch, prepared, opened);
        const printer = new ResultPrinter(schema, this.config.maxBatchBytes, response);
        const results = await printer.print(accountId, applied, batch.list);
        const net = batch.isDryRun ? null : opened.state.net();
        if (net) {
          await this.states.write(write, net, caller);
          await this.recordDeletions(caller, datagridId, net.deletedIds.length);
        }
        return { results, revision: write.revision };
      });
    };
    const hold = (): Promise<void> => this.sets.hold(accountId, datagridId);
    return this.writes.run(accountId, datagridId, write, true, deletes ? hold : undefined);
  }

  private async recordDeletions(caller: Caller, datagridId: string, rows: number): Promise<void> {
    if (rows === 0) return;
    const target = auditTarget('datagrid', datagridId);
    await this.audit.record(caller.accountId, caller, 'rows_deleted', target, {
      details: { rows },
    });
  }

  private async apply(
    accountId: string,
    schema: DatagridSchema,
    { isAtomic }: Batch,
    prepared: readonly Preparation[],
    { state, hashes, wrongLinks }: OpenedBatchState,
  ): Promise<(OperationResult | AppError)[]> {
    const run = new OperationRun(schema, state, this.config.maxRowBytes);
    return mapInSlices(accountId, prepared, (each, index) => {
      if (each instanceof AppError) return each;
      const wrong = wrongLinks.get(index);
      const work = (): ReturnType<OperationRun['apply']> => {
        if (wrong) throw wrong;
        return run.apply(each, hashes[index] ?? new Map());
      };
      return isAtomic ? work() : resultOf(work);
    });
  }
}
