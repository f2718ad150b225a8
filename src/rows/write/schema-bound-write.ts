import { Injectable } from '@nestjs/common';
import {
  type AppError,
  conflict,
  type FieldError,
  invalidRequest,
  unavailable,
} from '../../common/error/app-error';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { WrongLinksError } from '../link/link-entry.repository';
import { CounterRepository } from './counter.repository';
import { isUniqueViolation, UniqueConflictRepository } from './unique-conflict.repository';

/**
 * Number of attempts without the datagrid's lock. Other callers can write and change columns while
 * the rows are checked.
 */
const FREE_ATTEMPTS = 3;

/** The rows of a write, to explain why it was rejected. */
export interface GivenRows {
  /** JSON text of an array of values by slot. */
  readonly json: string;
  /** The path of each row's values in the body. */
  readonly paths: readonly string[];
  readonly exceptRowId?: number;
  /** Whether the values were stored before, so that wrong links are a conflict. */
  readonly isStored?: true;
}

/**
 * Runs writes against the columns they were checked against. Every write names the version of the
 * columns. If the columns have changed since, nothing is written and the rows are checked again.
 * The last attempt holds the datagrid's lock, so that a caller who changes columns continuously
 * cannot block other writers.
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
   * Runs `write`, which returns `null` if the columns have changed.
   * @param hasPlace Whether the request has already passed the database gate.
   * @param hold Takes the locks of the last attempt. A write that locks several datagrids takes all of
   *   them, in their order.
   * @throws AppError `not_found`, or `unavailable` if the columns keep changing.
   */
  async run<T>(
    accountId: string,
    datagridId: string,
    write: (schema: DatagridSchema) => Promise<T | null>,
    hasPlace = true,
    hold = (): Promise<void> => this.counters.hold(datagridId),
  ): Promise<T> {
    const quick = await this.schemas.tryWithCached(accountId, datagridId, write);
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
        await hold();
        return attempt();
      });
    const last = await (hasPlace ? attemptLocked() : this.gate.run(accountId, attemptLocked));
    if (last !== null) return last;
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }

  /**
   * Turns a violation of a unique index into a 409 error that names the columns, and wrong links into
   * a 400 error.
   * @returns `null` if the conflicting row has been deleted or changed in the meantime, so that
   *   there is nothing to name. The caller then retries.
   */
  async explainConflicts<T>(
    schema: DatagridSchema,
    given: GivenRows,
    write: () => Promise<T>,
  ): Promise<T | null> {
    try {
      // In a savepoint, so that the query that explains a violation can run after it.
      return await this.database.savepoint(write);
    } catch (error) {
      if (error instanceof WrongLinksError) throw rejectedLinks(error, given);
      if (!isUniqueViolation(error)) throw error;
    }
    const found = await this.conflicts.list(schema, given.json, given.exceptRowId);
    const details = found.map(({ index, columnId, rowId }): FieldError => {
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

function rejectedLinks(error: WrongLinksError, { paths, isStored }: GivenRows): AppError {
  const details = error.details(paths);
  return isStored ? lostLinks(details) : invalidRequest(details);
}

/** The error for links in stored values, to rows that do not exist anymore. */
export function lostLinks(details: readonly FieldError[]): AppError {
  return conflict('Rows that these values link to do not exist anymore.', details);
}
