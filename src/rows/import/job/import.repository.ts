import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../../common/paging/page-request';
import { Database } from '../../../platform/database/database';
import { isDuplicate } from '../../../platform/database/database-error';
import type { FileFormat } from '../read/csv-input';
import type { ImportOptions, ImportState } from './import-options';
import type { ImportFailure, ImportRecord, ImportReport, RefusedLine } from './import-report';
import * as sql from './import-sql';

/** An import that is to be started. */
export interface NewImport {
  readonly id: string;
  readonly datagridId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly options: ImportOptions;
  readonly totalBytes: number | null;
  readonly key: ImportKey | null;
}

/** What names an import so that it is not started twice. */
export interface ImportKey {
  readonly key: string;
  /** SHA-256 of the request's method, path and query. */
  readonly requestHash: Buffer;
}

/** What names an import's rows in the tables. */
export interface ImportPlace {
  readonly datagridId: string;
  readonly id: string;
}

/** How far the process that runs an import has come. */
export interface ImportBeat {
  readonly readBytes: number;
  readonly rowsRead: number;
  readonly refused: number;
  /** `null` where they are as they were. */
  readonly errors: readonly RefusedLine[] | null;
}

/** What there is to tell of all lines before the end of a step. */
export interface LinesBehind {
  readonly nextLine: number;
  readonly rowsRead: number;
  readonly refused: number;
  /** `null` where they are as they were after the step before. */
  readonly errors: readonly RefusedLine[] | null;
}

/** What became of the rows of one step. */
export interface StepCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export type KeyedImport = ImportReport & { readonly requestHash: Buffer };

/** Whether `error` is the key of another import. */
export function isKeyTaken(error: unknown): boolean {
  return isDuplicate(error, 'imports_idempotency_key');
}

/** Imports and their reports. What ends or moves an import does so only while it is running. */
@Injectable()
export class ImportRepository {
  constructor(private readonly database: Database) {}

  /** @throws what `isKeyTaken` knows */
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

  /** As `find`, but also finds an import whose datagrid is in the trash. */
  async findStarted(
    accountId: string,
    { datagridId, id }: ImportPlace,
  ): Promise<ImportReport | null> {
    const values = [datagridId, accountId, id];
    const [found] = await this.database.run<ImportReport>(sql.FIND_STARTED, values);
    return found ?? null;
  }

  /** A page, the last started first, and the number of all; `null` where there is no datagrid. */
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

  /** @returns whether the import is running still. */
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
   * Inside the transaction of a step: what it has done, and what the report says of the lines before its end.
   * @returns whether the import is running still; where not, the step must not be committed.
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

  /** @returns the final report; `null` if somebody else has ended the import. */
  async complete(place: ImportPlace): Promise<ImportReport | null> {
    return this.finish(place, 'completed', null);
  }

  /** @returns the final report; `null` if somebody else has ended the import. */
  async fail(place: ImportPlace, failure: ImportFailure): Promise<ImportReport | null> {
    return this.finish(place, 'failed', JSON.stringify(failure));
  }

  /** @returns whether it was running. */
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
