import { Injectable } from '@nestjs/common';
import { unavailable } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { DatabaseGate } from '../../platform/database/database-gate';

const MAX_ATTEMPTS = 5;

/** Reads columns, and rows with statements that depend on the columns. */
@Injectable()
export class SchemaBoundRead {
  constructor(
    private readonly schemas: DatagridSchemaService,
    private readonly gate: DatabaseGate,
  ) {}

  /** Returns the current columns. @throws as `DatagridSchemaService.get` */
  current(accountId: string, datagridId: string): Promise<DatagridSchema> {
    return this.gate.run(accountId, () => this.schemas.get(accountId, datagridId));
  }

  /** Returns the columns at a version. @throws as `DatagridSchemaService.getAt` */
  at(accountId: string, datagridId: string, version: number): Promise<DatagridSchema> {
    return this.gate.run(accountId, () => this.schemas.getAt(accountId, datagridId, version));
  }

  /**
   * Runs `read` with the cached columns, and again with the current ones if they have changed.
   * @param read Passes the version of the columns to the database, and returns `null` if it found
   *   another one.
   * @throws AppError `not_found`, `unavailable` if the columns keep changing, or as `read`.
   */
  async run<T>(
    accountId: string,
    datagridId: string,
    read: (schema: DatagridSchema) => Promise<T | null>,
  ): Promise<T> {
    // The query itself uses no connection of the main pool.
    const current = (): Promise<DatagridSchema> => this.current(accountId, datagridId);
    const quick = await this.schemas.tryWithCached(accountId, datagridId, read, current);
    if (quick) return quick;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await read(await current());
      if (found) return found;
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }
}
