import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../common/paging/page-request';
import { Database } from '../../platform/database/database';
import { isDuplicate } from '../../platform/database/database-error';
import type { FileFormat } from '../read/csv-input';
import * as sql from './import-sql';
import type {
  ImportFailure,
  ImportOptions,
  ImportRecord,
  ImportReport,
  ImportState,
  RejectedLine,
} from './import.entity';

/** An import to create. */
export interface NewImport {
  readonly id: string;
  readonly datagridId: string;
  readonly accountId: string;
  /** `null` for an import of the service itself. */
  readonly userId: string | null;
  readonly options: ImportOptions;
  readonly totalBytes: number | null;
  readonly key: ImportKey | null;
}

/** Identifies an import so that it is not started twice. */
export interface ImportKey {
  readonly key: string;
  /** SHA-256 of the request's method, path and query. */
  readonly requestHash: Buffer;
}

/** Identifies an import in the tables. */
export interface ImportRef {
  readonly datagridId: string;
  readonly id: string;
}

/** Progress of an import, as the process that runs it reports it. */
export interface ImportBeat {
  readonly readBytes: number;
  readonly rowsRead: number;
  readonly rejected: number;
  /** `null` if the errors have not changed. */
  readonly errors: readonly RejectedLine[] | null;
}

/** Counts and errors of all lines before the end of a step. */
export interface LinesBehind {
  readonly nextLine: number;
  readonly rowsRead: number;
  readonly rejected: number;
  /** `null` if the errors have not changed since the step before. */
  readonly errors: readonly RejectedLine[] | null;
}

/** Number of rows of one step, by result. */
interface StepCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Result of writing the lines of a step. */
export interface StepOutcome extends StepCounts {
  readonly rejected: readonly RejectedLine[];
  /** Ids of the rows that an upsert has matched or created. */
  readonly rowIds: readonly number[];
}

export type KeyedImport = ImportReport & { readonly requestHash: Buffer };

/** Returns whether `error` means that another import already has the idempotency key. */
export function isKeyTaken(error: unknown): boolean {
  return isDuplicate(error, 'imports_idempotency_key');
}

/** Stores imports and their reports. An import is changed or ended only while it is running. */
@Injectable()
export class ImportRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates an import.
   * @throws an error for which `isKeyTaken` is true, if the key is already used.
   */
  async insert(started: NewImport): Promise<void> {
    const { id, datagridId, accountId, userId, options, totalBytes, key } = started;
    if (key) await this.database.run(sql.FREE_KEY, [accountId, userId, key.key]);
    await this.database.run(sql.FORGET_OLDEST, [datagridId]);
    await this.database.run(sql.INSERT, [
      datagridId,
      id,
      accountId,
      userId,
      JSON.stringify(options),
      totalBytes,
      key?.key ?? null,
      key?.requestHash ?? null,
      options.startLine,
    ]);
  }

  async findByKey(accountId: string, userId: string, key: string): Promise<KeyedImport | null> {
    const values = [accountId, userId, key];
    const [found] = await this.database.run<KeyedImport>(sql.FIND_BY_KEY, values);
    return found ?? null;
  }

  async find(accountId: string, { datagridId, id }: ImportRef): Promise<ImportReport | null> {
    const values = [datagridId, accountId, id];
    const [found] = await this.database.run<ImportReport>(sql.FIND, values);
    return found ?? null;
  }

  /** Like `find`, but also finds an import whose datagrid is in the trash. */
  async findStarted(
    accountId: string,
    { datagridId, id }: ImportRef,
  ): Promise<ImportReport | null> {
    const values = [datagridId, accountId, id];
    const [found] = await this.database.run<ImportReport>(sql.FIND_STARTED, values);
    return found ?? null;
  }

  /**
   * Returns one page of imports, newest first, and the total; `null` if the datagrid does not
   * exist.
   */
  async list(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
  ): Promise<[ImportRecord[], number] | null> {
    const values = [datagridId, accountId, (page - 1) * limit, limit];
    const rows = await this.database.run<ImportRecord & { total: number }>(sql.LIST, values);
    const [first] = rows;
    return first ? [rows.filter((row) => row.id), first.total] : null;
  }

  /** Stores the progress. @returns whether the import is still running. */
  async beat(
    { datagridId, id }: ImportRef,
    { readBytes, rowsRead, rejected, errors }: ImportBeat,
    { delimiter, encoding }: FileFormat,
  ): Promise<boolean> {
    const counts = [readBytes, rowsRead, rejected, errors && JSON.stringify(errors)];
    const values = [datagridId, id, ...counts, JSON.stringify({ delimiter, encoding })];
    return (await this.database.run(sql.BEAT, values)).length > 0;
  }

  /**
   * Stores the result of a step and the report of the lines before its end. Call inside the step's
   * transaction.
   * @returns whether the import is still running. If not, the step must not be committed.
   */
  async advance(
    { datagridId, id }: ImportRef,
    { created, updated, unchanged }: StepCounts,
    { nextLine, rowsRead, rejected, errors }: LinesBehind,
    revisionBefore: number,
  ): Promise<boolean> {
    const counts = [nextLine, rowsRead, rejected, errors && JSON.stringify(errors)];
    const values = [datagridId, id, created, updated, unchanged, ...counts, revisionBefore];
    return (await this.database.run(sql.ADVANCE, values)).length > 0;
  }

  async noteColumns({ datagridId, id }: ImportRef, keys: readonly string[]): Promise<void> {
    await this.database.run(sql.NOTE_COLUMNS, [datagridId, id, JSON.stringify(keys)]);
  }

  /** @returns the final report; `null` if the import has already been ended otherwise. */
  async complete(importRef: ImportRef): Promise<ImportReport | null> {
    return this.finish(importRef, 'completed', null);
  }

  /** @returns the final report; `null` if the import has already been ended otherwise. */
  async fail(importRef: ImportRef, failure: ImportFailure): Promise<ImportReport | null> {
    return this.finish(importRef, 'failed', JSON.stringify(failure));
  }

  /** @returns whether the import was running. */
  async cancel(
    accountId: string,
    { datagridId, id }: ImportRef,
    failure: ImportFailure,
  ): Promise<boolean> {
    const values = [datagridId, accountId, id, JSON.stringify(failure)];
    return (await this.database.run(sql.CANCEL, values)).length > 0;
  }

  private async finish(
    { datagridId, id }: ImportRef,
    state: ImportState,
    failure: string | null,
  ): Promise<ImportReport | null> {
    const values = [datagridId, id, state, failure];
    const [report] = await this.database.run<ImportReport>(sql.FINISH, values);
    return report ?? null;
  }
}

/**
 * Ends imports of processes that have died, and deletes staged lines and old reports of any
 * process.
 */
@Injectable()
export class ImportLeftoverRepository {
  constructor(private readonly database: Database) {}

  /** Lists imports of all processes that are running or have staged lines left. */
  async list(): Promise<ImportRef[]> {
    return this.database.run<ImportRef>(sql.LIST_UNCLEARED);
  }

  /**
   * Ends an import whose process has died, and deletes some of its staged lines.
   * @returns whether more lines may be left.
   */
  async clearDead({ datagridId, id }: ImportRef, failure: ImportFailure): Promise<boolean> {
    return this.database.transaction(async () => {
      const taken = await this.database.run(sql.TAKE_OVER, [datagridId, id]);
      if (taken.length === 0) return false;
      await this.database.run(sql.FINISH_DEAD, [datagridId, id, JSON.stringify(failure)]);
      return this.clear({ datagridId, id });
    });
  }

  /**
   * Deletes some staged lines of an import that has ended.
   * @returns whether more lines may be left.
   */
  async clear({ datagridId, id }: ImportRef): Promise<boolean> {
    const [gone] = await this.database.run<{ count: number }>(sql.CLEAR, [datagridId, id]);
    if (gone?.count === sql.CLEAR_LINES) return true;
    await this.database.run(sql.MARK_CLEARED, [datagridId, id]);
    return false;
  }
}
