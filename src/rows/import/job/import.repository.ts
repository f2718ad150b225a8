import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../../common/paging/page-request';
import { Database } from '../../../platform/database/database';
import { isDuplicate } from '../../../platform/database/database-error';
import type { FileFormat } from '../read/csv-input';
import type { ImportOptions, ImportState } from './import-options';
import type { ImportFailure, ImportRecord, ImportReport, RefusedLine } from './import-report';
import * as sql from './import-sql';

/** An import to create. */
export interface NewImport {
  readonly id: string;
  readonly datagridId: string;
  readonly accountId: string;
  readonly userId: string;
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
export interface ImportPlace {
  readonly datagridId: string;
  readonly id: string;
}

/** Progress of an import, as the process that runs it reports it. */
export interface ImportBeat {
  readonly readBytes: number;
  readonly rowsRead: number;
  readonly refused: number;
  /** `null` if the errors have not changed. */
  readonly errors: readonly RefusedLine[] | null;
}

/** Counts and errors of all lines before the end of a step. */
export interface LinesBehind {
  readonly nextLine: number;
  readonly rowsRead: number;
  readonly refused: number;
  /** `null` if the errors have not changed since the step before. */
  readonly errors: readonly RefusedLine[] | null;
}

/** Number of rows of one step, by result. */
export interface StepCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export type KeyedImport = ImportReport & { readonly requestHash: Buffer };

/** Whether `error` means that another import already has the idempotency key. */
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
    ]);
  }

  async findByKey(accountId: string, userId: string, key: string): Promise<KeyedImport | null> {
    const values = [accountId, userId, key];
    const [found] = await this.database.run<KeyedImport>(sql.FIND_BY_KEY, values);
    return found ?? null;
  }

  async find(accountId: string, { datagridId, id }: ImportPlace): Promise<ImportReport | null> {
    const values = [datagridId, accountId, id];
    const [found] = await this.database.run<ImportReport>(sql.FIND, values);
    return found ?? null;
  }

  /** Like `find`, but also finds an import whose datagrid is in the trash. */
  async findStarted(
    accountId: string,
    { datagridId, id }: ImportPlace,
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
    { datagridId, id }: ImportPlace,
    { readBytes, rowsRead, refused, errors }: ImportBeat,
    { delimiter, encoding }: FileFormat,
  ): Promise<boolean> {
    const told = [readBytes, rowsRead, refused, errors && JSON.stringify(errors)];
    const values = [datagridId, id, ...told, JSON.stringify({ delimiter, encoding })];
    return (await this.database.run(sql.BEAT, values)).length > 0;
  }

  /**
   * Stores the result of a step and the report of the lines before its end. Call inside the step's
   * transaction.
   * @returns whether the import is still running. If not, the step must not be committed.
   */
  async advance(
    { datagridId, id }: ImportPlace,
    { created, updated, unchanged }: StepCounts,
    { nextLine, rowsRead, refused, errors }: LinesBehind,
  ): Promise<boolean> {
    const told = [nextLine, rowsRead, refused, errors && JSON.stringify(errors)];
    const values = [datagridId, id, created, updated, unchanged, ...told];
    return (await this.database.run(sql.ADVANCE, values)).length > 0;
  }

  async noteColumns({ datagridId, id }: ImportPlace, keys: readonly string[]): Promise<void> {
    await this.database.run(sql.NOTE_COLUMNS, [datagridId, id, JSON.stringify(keys)]);
  }

  /** @returns the final report; `null` if the import has already been ended otherwise. */
  async complete(place: ImportPlace): Promise<ImportReport | null> {
    return this.finish(place, 'completed', null);
  }

  /** @returns the final report; `null` if the import has already been ended otherwise. */
  async fail(place: ImportPlace, failure: ImportFailure): Promise<ImportReport | null> {
    return this.finish(place, 'failed', JSON.stringify(failure));
  }

  /** @returns whether the import was running. */
  async cancel(
    accountId: string,
    { datagridId, id }: ImportPlace,
    failure: ImportFailure,
  ): Promise<boolean> {
    const values = [datagridId, accountId, id, JSON.stringify(failure)];
    return (await this.database.run(sql.CANCEL, values)).length > 0;
  }

  private async finish(
    { datagridId, id }: ImportPlace,
    state: ImportState,
    failure: string | null,
  ): Promise<ImportReport | null> {
    const values = [datagridId, id, state, failure];
    const [report] = await this.database.run<ImportReport>(sql.FINISH, values);
    return report ?? null;
  }
}
