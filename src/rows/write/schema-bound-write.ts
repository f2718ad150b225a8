import { Injectable } from '@nestjs/common';
import { conflict, unavailable } from '../../common/error/app-error';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { CounterRepository } from './counter.repository';
import { isUniqueViolation, UniqueConflictRepository } from './unique-conflict.repository';

/** Attempts that let others write, and change columns, while rows are checked. */
const FREE_ATTEMPTS = 3;

/** What a write was given, to explain its refusal by. */
export interface GivenRows {
  /** An array of values by slot. */
  readonly json: string;
  /** The way to each row's values in the body. */
  readonly paths: readonly string[];
  readonly exceptRowId?: number;
}

/**
 * Runs writes against the columns they were checked against. Every write names the version of
 * the columns; where they have changed since, nothing is written and all is checked anew: at last
 * under the datagrid's lock, so that nobody who changes columns without pause keeps others out.
 */
@Injectable()
export class SchemaBoundWrite {
  constructor(
    private readonly database: Database,
    private readonly schemas: DatagridSchemaService,
    private readonly counters: CounterRepository,
    private readonly conflicts: UniqueConflictRepository,
    private readonly quota: RowQuota,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * `write` gives `null` where it found other columns.
   * @param hasPlace Whether the request has passed the database gate.
   * @throws AppError `not_found`
   */
  async run<T>(
    accountId: string,
    datagridId: string,
    write: (schema: DatagridSchema) => Promise<T | null>,
    hasPlace = true,
  ): Promise<T> {
    const quick = await this.schemas.tryRecent(accountId, datagridId, write);
    if (quick !== null) return quick;
    const attempt = async (): Promise<T | null> =>
      write(await this.schemas.get(accountId, datagridId));
    for (let count = 0; count < FREE_ATTEMPTS; count += 1) {
      const result = await attempt();
      if (result !== null) return result;
    }
    const attemptLocked = (): Promise<T | null> =>
      this.database.transaction(async () => {
        await this.quota.hold(accountId);
        await this.counters.hold(datagridId);
        return attempt();
      });
    const last = await (hasPlace ? attemptLocked() : this.gate.run(accountId, attemptLocked));
    if (last !== null) return last;
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }

  /**
   * Turns a unique index's refusal into a 409 that names the columns. Where the other row has
   * gone meanwhile there is nothing to name, and the answer is `null`: try again.
   */
  async explainConflicts<T>(
    schema: DatagridSchema,
    given: GivenRows,
    write: () => Promise<T>,
  ): Promise<T | null> {
    try {
      // What explains a refusal must be able to run after it.
      return await this.database.savepoint(write);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const found = await this.conflicts.find(schema, given.json, given.exceptRowId);
    const details = found.map(({ index, columnId, rowId }) => {
      const key = schema.unique.find(({ id }) => id === columnId)?.key ?? '';
      const field = `${given.paths[index] ?? 'values'}.${key}`;
      return {
        field,
        code: 'duplicate',
        message:
          rowId === null
            ? 'must be unique, but an earlier row in this request already has this value'
            : `must be unique, but row ${String(rowId)} already has this value`,
      };
    });
    if (details.length === 0) return null;
    throw conflict('Duplicate value in a unique column.', details);
  }
}
