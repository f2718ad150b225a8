import { Injectable } from '@nestjs/common';
import type { WriteResponse } from '../../common/envelope/write-response';
import { AppError } from '../../common/error/app-error';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { printedBytes, printRows } from '../write/printed-row';
import { RowCreateRepository } from '../write/row-create.repository';
import { SchemaBoundWrite } from '../write/schema-bound-write';
import type { Batch } from './operation';
import type { BatchAnswer } from './operation-result';
import type { Preparation, PreparedOperation } from './prepared-operation';

/** Fast path for a request that only creates rows: one statement, and no rows are read. */
@Injectable()
export class CreateRun {
  constructor(
    private readonly writes: SchemaBoundWrite,
    private readonly creates: RowCreateRepository,
    private readonly quota: RowQuota,
  ) {}

  /**
   * Returns the operations, or `null` if they cannot take the fast path. In partial mode they can
   * only if no row can be rejected: there are no unique columns and no row quota.
   */
  creatable(
    { unique }: DatagridSchema,
    { isAtomic, isDryRun }: Batch,
    prepared: readonly Preparation[],
  ): PreparedOperation[] | null {
    if (isDryRun || (!isAtomic && (unique.length > 0 || this.quota.isSet))) return null;
    const creates = prepared.filter(isCreate);
    return creates.length === prepared.length ? creates : null;
  }

  /**
   * Creates the rows.
   * @returns `null` if the write must be retried.
   * @throws AppError `conflict`, `quota_exceeded`
   */
  async run(
    accountId: string,
    schema: DatagridSchema,
    prepared: readonly PreparedOperation[],
    response: WriteResponse,
  ): Promise<BatchAnswer | null> {
    const shown = response.isMinimal ? null : await printByKey(accountId, schema, prepared);
    // The rows are at most as long as the request body, whose size is limited.
    response.reserve(printedBytes(shown ?? prepared.map(() => null)));
    const json = `[${prepared.map((each) => each.json).join(',')}]`;
    const paths = prepared.map(({ operation }) => `${operation.path}.values`);
    const created = await this.writes.explainConflicts(schema, { json, paths }, () =>
      this.quota.run(accountId, () => this.creates.create(schema, json, prepared.length)),
    );
    if (!created) return null;
    const { firstId, revision } = created;
    const rows = shown && printRows(created, shown);
    const results = prepared.map((_, index) => {
      const row = rows ? `"row":${rows[index] ?? ''}` : `"revision":${String(revision)}`;
      return `{"status":"created","id":${String(firstId + index)},${row}}`;
    });
    return { results: `[${results.join(',')}]`, revision };
  }
}

function isCreate(each: Preparation): each is PreparedOperation {
  return !(each instanceof AppError) && each.operation.op === 'create';
}

/** Returns each row's values, by column key, as JSON text. */
async function printByKey(
  accountId: string,
  schema: DatagridSchema,
  prepared: readonly PreparedOperation[],
): Promise<string[]> {
  if (schema.isPlain) return prepared.map(({ json }) => json);
  return mapInSlices(accountId, prepared, ({ values }) => JSON.stringify(values.byKey));
}
